// Ways through the places of the app, in the words on them.
import { act } from './cards.mjs';

const button = (page, name) => page.getByRole('button', { name });

/** From the three doors: address, token, and yes to keeping it in a file, since the tests' computer has no key store. */
export async function addGateway(page, { url, token }) {
  await act(button(page, /Connect to my OpenClaw gateway/));
  await page.getByLabel('Address').fill(url);
  await page.getByLabel('Token').fill(token);
  await act(page.getByRole('button', { name: 'Connect', exact: true }));
  await act(button(page, 'Keep in a file'));
}

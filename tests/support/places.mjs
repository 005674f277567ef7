// Ways through the places of the app, in the words on them.
import { act } from './cards.mjs';

/** Goes there by the list of places and chats, which a narrow page keeps in a drawer. */
export async function go(page, name) {
  const drawer = page.getByRole('button', { name: /^Chats/ });
  const list = page.getByRole('navigation');
  await drawer.or(list).first().waitFor();
  if (await drawer.isVisible()) await act(drawer);
  await act(list.getByRole('link', { name }));
}

/** From the three doors: address, token, and yes to keeping it in a file, since the tests' computer has no key store. */
export async function addGateway(page, { url, token }) {
  await act(page.getByRole('link', { name: /Connect to my OpenClaw gateway/ }));
  await page.getByLabel('Address').fill(url);
  await page.getByLabel('Token').fill(token);
  await act(page.getByRole('button', { name: 'Connect', exact: true }));
  await act(page.getByRole('button', { name: 'Keep in a file' }));
}

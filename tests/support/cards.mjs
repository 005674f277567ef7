// Cards as a person finds them on a page: by what they ask.
import { until } from './processes.mjs';

/** The card, or the summary it became, that asks this. */
export const cardAbout = (page, question) => page.getByRole('article').filter({ hasText: question });

/** The control of an option; its name starts with the label. */
export const option = (card, label) => card.getByRole('radio', { name: startsWith(label) }).or(card.getByRole('checkbox', { name: startsWith(label) }));

const startsWith = text => new RegExp(`^${text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')}`);

/** Touches where the page can be touched, else clicks. */
export async function act(locator) {
  const touch = await locator.page().evaluate(() => navigator.maxTouchPoints > 0);
  await (touch ? locator.tap() : locator.click());
}

/** Chooses an option, and waits until it shows as chosen. */
export async function choose(card, label) {
  await act(option(card, label));
  await until(() => option(card, label).isChecked(), { what: `'${label}' chosen` });
}

export const sendButton = card => card.getByRole('button', { name: 'Send', exact: true });

/** Waits until Send is on offer: the core has all that was chosen and typed. No hand is quicker than that; a test is. */
export const ready = card => until(() => sendButton(card).isEnabled(), { what: 'Send enabled' });

export const press = (card, name) => act(card.getByRole('button', { name, exact: true }));

/** Waits until the card is a summary that says all of this. */
export async function ended(card, ...words) {
  await sendButton(card).waitFor({ state: 'detached' });
  for (const text of words) await card.getByText(text).first().waitFor();
}

/** The part of a card that asks this; a card may ask three things. */
const part = (card, question) => card.getByRole('radiogroup', { name: question }).or(card.getByRole('group', { name: question }));

/** The text field of Other under this question. */
export const otherField = (card, question) => part(card, question).getByRole('textbox');

/** Chooses Other under this question and types. */
export async function typeOther(card, question, text) {
  await choose(part(card, question), 'Other…');
  await otherField(card, question).fill(text);
}

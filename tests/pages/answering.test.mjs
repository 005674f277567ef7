// One thumb on a card: nothing leaves before Send, and nothing typed is lost on the way.
import assert from 'node:assert/strict';
import { after, afterEach, before, beforeEach, test } from 'node:test';
import { phone } from '../support/browser.mjs';
import { act, cardAbout, choose, ended, option, otherField, press, ready, sendButton, typeOther } from '../support/cards.mjs';
import { DEPLOY, THREE } from '../support/questions.mjs';
import { Stage } from '../support/stage.mjs';

let stage, page;
let number = 0;

before(async () => { stage = await Stage.set(); });
after(() => stage.strike());
beforeEach(async () => { page = await stage.page(phone); });
afterEach(() => stage.clear());

/** Asks where to deploy, each time in words of its own; resolves with the request's id and its card. */
async function deploy() {
  const question = `Where should number ${++number} go?`;
  const id = await stage.ask([{ ...DEPLOY, question }]);
  const card = cardAbout(page, question);
  await card.waitFor();
  return { id, card };
}

const stillOpen = async id => (await stage.asker.get(id)).status === 'pending';

test('a tap chooses and never sends', async () => {
  const { id, card } = await deploy();
  await choose(card, 'Production');
  await choose(card, 'Staging');
  assert.equal(await option(card, 'Production').isChecked(), false);
  assert.ok(await stillOpen(id));
  await press(card, 'Send');
  assert.deepEqual(await stage.answers(id), { deploy_target: ['Staging (Recommended)'] });
});

test('nothing is chosen beforehand, and Send says what is missing without sending', async () => {
  const id = await stage.ask(THREE);
  const card = cardAbout(page, 'Which database?');
  await card.waitFor();
  assert.equal(await card.locator('input:checked').count(), 0);
  await choose(card, 'Postgres');
  await choose(card, 'Beta');
  await card.getByText('1 question left:').waitFor();
  assert.equal(await sendButton(card).getAttribute('aria-disabled'), 'true');
  // The browser's tools wait until a button is enabled; a thumb doesn't.
  await sendButton(card).tap({ force: true });
  assert.ok(await stillOpen(id));

  await choose(card, 'Search');
  await ready(card);
  await press(card, 'Send');
  assert.deepEqual(await stage.answers(id), { db: ['Postgres'], features: ['Search'], name: ['Beta'] });
});

test('text typed under Other is kept while another option is chosen', async () => {
  const { id, card } = await deploy();
  await typeOther(card, 'Where should', 'On my own machine');
  await choose(card, 'Staging');
  await card.getByText('Your text is kept').waitFor();
  await choose(card, 'Other…');
  assert.equal(await otherField(card, 'Where should').inputValue(), 'On my own machine');
  await press(card, 'Send');
  assert.deepEqual(await stage.answers(id), { deploy_target: ['On my own machine'] });
});

test('Skip asks for confirmation only when something would be lost', async () => {
  const untouched = await deploy();
  await press(untouched.card, 'Skip');
  assert.equal((await stage.asker.resolved(untouched.id)).status, 'cancelled');
  await ended(untouched.card, /Skipped/);

  const drafted = await deploy();
  await choose(drafted.card, 'Staging');
  await ready(drafted.card);
  await press(drafted.card, 'Skip');
  await act(drafted.card.getByRole('button', { name: 'Keep answering' }));
  assert.ok(await stillOpen(drafted.id));
  assert.ok(await option(drafted.card, 'Staging').isChecked());
  await press(drafted.card, 'Skip');
  await act(drafted.card.getByRole('button', { name: 'Skip it' }));
  assert.equal((await stage.asker.resolved(drafted.id)).status, 'cancelled');
});

test('You decide answers what is open and keeps what was chosen', async () => {
  const id = await stage.ask(THREE.map(question => ({ ...question, question: `${question.question} You decide.` })));
  const card = cardAbout(page, 'Which database? You decide.');
  await choose(card, 'MySQL');
  await press(card, 'You decide');
  assert.deepEqual(await stage.answers(id), {
    db: ['MySQL'], features: ['Use your best judgment'], name: ['Use your best judgment'],
  });
});

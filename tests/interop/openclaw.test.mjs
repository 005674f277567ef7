// The app beside a real OpenClaw gateway, whose agent really asks and really goes on.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { Home } from '../support/beckon.mjs';
import { launch, phone } from '../support/browser.mjs';
import { cardAbout, choose, ended, press, typeOther } from '../support/cards.mjs';
import { addGateway, go } from '../support/places.mjs';
import { agentAsks, agentSaid, OpenClaw } from '../support/openclaw.mjs';
import { DEPLOY, THREE } from '../support/questions.mjs';

let openclaw, browser, page, other;

before(async () => {
  [openclaw, browser] = await Promise.all([OpenClaw.start(), launch()]);
  other = await openclaw.connect();
  page = await phone(browser, (await new Home().open()).url);
});

after(async () => {
  await browser?.close();
  await openclaw?.stop();
});

/** Every question asks something of its own, so that a card can't be taken for an earlier one. */
const deploy = question => ({ ...DEPLOY, question });

test('address and token are all it takes', async () => {
  await addGateway(page, openclaw);
  await page.getByText('Answers go out at once.').waitFor();
  await go(page, 'Waiting');
});

test('the agent goes on with what was tapped', async () => {
  const { runId } = await agentAsks(other, [DEPLOY]);
  const card = cardAbout(page, DEPLOY.question);
  await choose(card, 'Staging');
  await press(card, 'Send');
  assert.equal(await agentSaid(other, runId), 'done: Deploy: Staging (Recommended)');
  await ended(card, 'Staging');
});

test('Skip lets the agent use its best judgment', async () => {
  const { runId, question } = await agentAsks(other, [deploy('Skip this one?')]);
  const card = cardAbout(page, 'Skip this one?');
  await press(card, 'Skip');
  assert.equal((await other.resolved(question.id)).status, 'cancelled');
  assert.equal(await agentSaid(other, runId), 'done: The question was cancelled; proceed with best judgment.');
  await ended(card, /Skipped/);
});

test('three stacked questions go out in the order of their options, Other last', async () => {
  const { runId, question } = await agentAsks(other, THREE);
  const card = cardAbout(page, 'Which database?');
  await choose(card, 'SQLite');
  await choose(card, 'Export, CSV');
  await choose(card, 'Login');
  await typeOther(card, 'Which features?', 'a dark mode');
  await typeOther(card, 'What is it called?', 'Gamma Ray');
  await press(card, 'Send');
  assert.deepEqual(await other.resolved(question.id), {
    id: question.id, status: 'answered',
    answers: { answers: { db: ['SQLite (Recommended)'], features: ['Login', 'Export, CSV', 'a dark mode'], name: ['Gamma Ray'] } },
  });
  assert.match(await agentSaid(other, runId), /^done: Database: SQLite \(Recommended\)/);
  await ended(card, 'Gamma Ray', 'a dark mode');
});

test('an answer given elsewhere closes the card and shows that answer', async () => {
  const { question } = await agentAsks(other, [deploy('Will somebody else answer?')]);
  const card = cardAbout(page, 'Will somebody else answer?');
  await choose(card, 'Staging');
  await other.answer(question.id, { deploy_target: ['Production'] });
  await ended(card, 'Answered elsewhere', 'Production');
});

test('a wrong token is said in plain words', async () => {
  const stranger = await phone(browser, (await new Home().open()).url);
  await addGateway(stranger, { ...openclaw, token: 'not-the-token' });
  await stranger.getByText('The token is not accepted.').waitFor();
});

test('a gateway that crashes is missed, found again, and answers go on', async () => {
  const { question } = await agentAsks(other, [deploy('Does this one survive?')]);
  const lost = cardAbout(page, 'Does this one survive?');
  await choose(lost, 'Staging');
  await openclaw.kill();
  await page.getByText('No connection').first().waitFor();
  await openclaw.run();
  // OpenClaw keeps questions in memory only: nobody will ever know how this one would have ended.
  // The app tries again by itself, at most half a minute apart.
  await lost.getByText(/Outcome unknown/).waitFor({ timeout: 40_000 });
  other = await openclaw.connect();
  await assert.rejects(other.get(question.id), { reason: 'QUESTION_NOT_FOUND' });

  const { runId } = await agentAsks(other, [deploy('And after the crash?')]);
  const card = cardAbout(page, 'And after the crash?');
  await choose(card, 'Production');
  await press(card, 'Send');
  assert.equal(await agentSaid(other, runId), 'done: Deploy: Production');
});

// The first start: three doors, and what is behind those that need nothing.
import assert from 'node:assert/strict';
import { dirname } from 'node:path';
import { afterEach, beforeEach, test } from 'node:test';
import { binary } from '../support/beckon.mjs';
import { picture } from '../support/browser.mjs';
import { act, cardAbout, choose, ended, press } from '../support/cards.mjs';
import { Program } from '../support/processes.mjs';
import { Stage } from '../support/stage.mjs';

let stage, page;

beforeEach(async () => {
  stage = await Stage.set();
  page = await stage.page();
});
afterEach(() => stage.strike());

const door = name => page.getByRole('button', { name });

test('three doors and no form', async () => {
  await page.getByRole('link', { name: /Connect to my OpenClaw gateway/ }).waitFor();
  await door(/Use the built-in gateway/).waitFor();
  await door(/Send myself a test question/).waitFor();
  assert.equal(await page.getByRole('textbox').count(), 0);
  await picture(page, 'doors');
  page.sound();
});

test('the test question goes through the gateway, and so does its answer', async () => {
  await act(door(/Send myself a test question/));
  const { id, questions: [question] } = await stage.asker.requested(() => true);
  const card = cardAbout(page, question.question);
  await choose(card, question.options[0].label.replace(' (Recommended)', ''));
  await press(card, 'Send');
  assert.deepEqual(await stage.answers(id), { [question.questionId]: [question.options[0].label] });
  await ended(card, /You/);
});

test('the built-in gateway shows what gives an agent ask_user', async () => {
  await act(door(/Use the built-in gateway/));
  const snippet = JSON.parse(await page.locator('pre', { hasText: 'mcpServers' }).textContent());
  const [server] = Object.values(snippet.mcpServers);
  assert.deepEqual(server.args, ['mcp']);
  await page.getByRole('button', { name: 'Copy the settings' }).waitFor();
});

test('the command it shows for the shell asks as it is', async () => {
  await act(door(/Use the built-in gateway/));
  const command = await page.locator('pre', { hasText: 'beckon ask' }).textContent();
  const { environment } = stage.home;
  const asked = new Program('bash', ['-c', command], {
    name: command, env: { ...environment, PATH: `${dirname(binary('beckon'))}:${environment.PATH}` },
  });
  const { id, questions: [{ questionId, options }] } = await Promise.race([
    stage.asker.requested(() => true),
    asked.ended.then(code => { throw asked.failure(`ended with ${code}`); }),
  ]);
  await stage.asker.answer(id, { [questionId]: [options[0].label] });
  assert.equal((await asked.end()).code, 0);
});

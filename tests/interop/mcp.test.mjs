// An MCP agent, with the official SDK's client, asks through `beckon mcp`; a person answers on a phone's page.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { binary, Home } from '../support/beckon.mjs';
import { launch, phone } from '../support/browser.mjs';
import { cardAbout, choose, ended, press, sendButton } from '../support/cards.mjs';
import { DEPLOY } from '../support/questions.mjs';

let home, browser, page, watcher, agent;

/** An agent on the same home. */
async function connectAgent() {
  const client = new Client({ name: 'an-agent', version: '0' });
  await client.connect(new StdioClientTransport({ command: binary('beckon'), args: ['mcp'], env: home.environment }));
  return client;
}

/** Calls the tool; `question` resolves with the record once the gateway has it. */
function ask(from, call, options) {
  const known = new Set(watcher.events.map(event => event.payload?.id));
  const result = from.callTool({ name: 'ask_user', arguments: call }, undefined, { timeout: 60_000, ...options });
  result.catch(() => {});
  return { result, question: watcher.requested(record => !known.has(record.id)) };
}

const json = result => JSON.parse(result.content[0].text);

before(async () => {
  home = new Home();
  await home.gateway();
  const app = await home.open();
  watcher = await home.connect();
  browser = await launch();
  page = await phone(browser, app.url);
  agent = await connectAgent();
});

after(async () => {
  await agent?.close();
  await browser?.close();
  await watcher?.close();
});

test('the server has exactly one tool, with the contract in its schema and its words', async () => {
  const { tools } = await agent.listTools();
  assert.deepEqual(tools.map(tool => tool.name), ['ask_user']);
  const [{ description, inputSchema }] = tools;
  const questions = inputSchema.properties.questions;
  assert.deepEqual(inputSchema.required, ['questions']);
  assert.deepEqual(Object.keys(inputSchema.properties).sort(), ['questions', 'timeoutSeconds']);
  assert.deepEqual([questions.minItems, questions.maxItems], [1, 3]);
  assert.deepEqual(questions.items.required, ['id', 'header', 'question', 'options']);
  assert.deepEqual(Object.keys(questions.items.properties).sort(), ['header', 'id', 'multiSelect', 'options', 'question']);
  const { options } = questions.items.properties;
  assert.deepEqual([options.minItems, options.maxItems], [2, 4]);
  assert.deepEqual(Object.keys(options.items.properties).sort(), ['description', 'label']);
  for (const rule of [/only when .*blocked/i, /prefer one/i, /\(Recommended\)/, /other/i, /no_answer/, /permission to proceed/, /confirm your own plan/]) {
    assert.match(description, rule);
  }
});

test('a tap on the phone and Send bring the full label back to the agent', async () => {
  const { result } = ask(agent, { questions: [DEPLOY] });
  const card = cardAbout(page, DEPLOY.question);
  await choose(card, 'Staging');
  await press(card, 'Send');
  const answered = await result;
  assert.ok(!answered.isError);
  assert.deepEqual(json(answered), { status: 'answered', answers: { answers: { deploy_target: ['Staging (Recommended)'] } } });
  await ended(card, 'Staging');
  page.sound();
});

test('Skip is no answer, never a default', async () => {
  const { result } = ask(agent, { questions: [{ ...DEPLOY, question: 'Where shall this one go?' }] });
  await press(cardAbout(page, 'Where shall this one go?'), 'Skip');
  assert.deepEqual(json(await result), { status: 'no_answer' });
});

test('a call that is cancelled takes its question with it', async () => {
  const cancel = new AbortController();
  const { result, question } = ask(agent, { questions: [{ ...DEPLOY, question: 'Will this be cancelled?' }] }, { signal: cancel.signal });
  const { id } = await question;
  const card = cardAbout(page, 'Will this be cancelled?');
  await sendButton(card).waitFor();
  cancel.abort();
  await assert.rejects(result);
  assert.equal((await watcher.resolved(id)).status, 'cancelled');
  assert.equal((await watcher.get(id)).status, 'cancelled');
  await ended(card, 'No answer');
});

test('an agent that goes away takes its question with it', async () => {
  const leaving = await connectAgent();
  const { question } = ask(leaving, { questions: [DEPLOY] });
  const { id } = await question;
  await leaving.close();
  assert.equal((await watcher.resolved(id)).status, 'cancelled');
});

test('two agents that use the same answer key each get their own answer', async () => {
  const other = await connectAgent();
  const mine = ask(agent, { questions: [DEPLOY] });
  const first = await mine.question;
  const theirs = ask(other, { questions: [DEPLOY] });
  const second = await theirs.question;
  await watcher.answer(second.id, { deploy_target: ['Production'] });
  await watcher.answer(first.id, { deploy_target: ['On my own machine'] });
  assert.deepEqual(json(await mine.result).answers.answers, { deploy_target: ['On my own machine'] });
  assert.deepEqual(json(await theirs.result).answers.answers, { deploy_target: ['Production'] });
  await other.close();
});

test('progress is told while the person thinks, when it was asked for', async () => {
  let told;
  const progress = new Promise(resolve => { told = resolve; });
  const { result, question } = ask(agent, { questions: [DEPLOY] }, { onprogress: told, resetTimeoutOnProgress: true });
  const { id } = await question;
  assert.equal(typeof (await progress).progress, 'number');
  await watcher.answer(id, { deploy_target: ['Production'] });
  assert.equal(json(await result).status, 'answered');
});

test('bad arguments are a tool error that names every fault, and nobody is asked', async () => {
  const before = watcher.events.length;
  const result = await agent.callTool({ name: 'ask_user', arguments: {
    questions: [{ id: 'Deploy-Target', header: ' ', question: ' ', options: [{ label: 'Other…' }] }],
  } });
  assert.equal(result.isError, true);
  const [{ text }] = result.content;
  for (const fault of [/snake_case/, /header is empty/, /question is empty/, /2 to 4 options/, /'Other'/]) assert.match(text, fault);
  assert.deepEqual(await watcher.pending(), []);
  assert.ok(!watcher.events.slice(before).some(event => event.event === 'question.requested'));
});

test('time limits are kept between 30 seconds and an hour, 15 minutes when none is given', async () => {
  for (const [timeoutSeconds, seconds] of [[5, 30], [100_000, 3600], [undefined, 900]]) {
    const cancel = new AbortController();
    const { question, result } = ask(agent, { questions: [DEPLOY], timeoutSeconds }, { signal: cancel.signal });
    const record = await question;
    // Counted from the call: by the time the gateway has it, some milliseconds are gone.
    const left = record.expiresAtMs - record.createdAtMs;
    assert.ok(left <= seconds * 1000 && left > seconds * 1000 - 500, `${left} ms`);
    cancel.abort();
    await assert.rejects(result);
    await watcher.resolved(record.id);
  }
});

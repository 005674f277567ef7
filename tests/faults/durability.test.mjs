// The gateway is killed, and nothing that it acknowledged is lost. `beckon ask` waits through it.
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { Home } from '../support/beckon.mjs';
import { launch, phone } from '../support/browser.mjs';
import { cardAbout, choose, ended, press } from '../support/cards.mjs';
import { DEPLOY, request, THREE } from '../support/questions.mjs';

const ASK = ['--question', DEPLOY.question, '--header', DEPLOY.header, '--option', 'Staging (Recommended)=Safe to break', '--option', 'Production'];

test('`beckon gateway` says one line, and ends when it is told to', async () => {
  const home = new Home();
  const gateway = await home.gateway();
  const line = `listening on ${home.url}\n`;
  gateway.signal('SIGTERM');
  const { code, stdout } = await gateway.end();
  assert.equal(stdout, line);
  assert.equal(code, 0);
});

describe('a question of `beckon ask`', () => {
  let home, gateway, watcher, browser;

  before(async () => {
    home = new Home();
    gateway = await home.gateway();
    watcher = await home.connect();
    browser = await launch();
  });
  after(() => browser?.close());

  /** `beckon ask`, and the question once the gateway has it. */
  async function ask(...args) {
    const known = new Set(watcher.events.map(event => event.payload?.id));
    const program = home.ask(...args);
    const question = await Promise.race([
      watcher.requested(record => !known.has(record.id)),
      program.ended.then(code => { throw program.failure(`ended with ${code} before it asked`); }),
    ]);
    return { program, question };
  }

  test('answered: the result on standard output, exit status 0', async () => {
    const { program, question } = await ask(...ASK);
    const [{ header, options }] = question.questions;
    assert.equal(header, 'Deploy');
    assert.deepEqual(options, DEPLOY.options);
    const key = question.questions[0].questionId;
    await watcher.answer(question.id, { [key]: ['Production'] });
    const { code, stdout } = await program.end();
    assert.deepEqual(JSON.parse(stdout), { status: 'answered', answers: { answers: { [key]: ['Production'] } } });
    assert.equal(code, 0);
  });

  test('skipped: no_answer, exit status 2', async () => {
    const { program, question } = await ask(...ASK);
    await watcher.skip(question.id);
    const { code, stdout } = await program.end();
    assert.deepEqual(JSON.parse(stdout), { status: 'no_answer' });
    assert.equal(code, 2);
  });

  test('interrupted: the question is withdrawn', async () => {
    const { program, question } = await ask(...ASK);
    program.signal('SIGINT');
    assert.equal((await program.end()).code, 2, program.output);
    assert.equal((await watcher.resolved(question.id)).status, 'cancelled');
  });

  test('three questions from standard input: one answer to each', async () => {
    const program = home.beckon(['ask', '--json', '-'], { input: 'pipe' });
    program.child.stdin.end(JSON.stringify({ questions: THREE }));
    const question = await watcher.requested(record => record.questions.length === 3);
    const answers = { answers: { db: ['Postgres'], features: ['Login', 'mine'], name: ['Beta'] } };
    await watcher.request('question.resolve', { id: question.id, answers });
    const { code, stdout } = await program.end();
    assert.deepEqual(JSON.parse(stdout), { status: 'answered', answers });
    assert.equal(code, 0);
  });

  test('bad arguments: every fault on standard error, exit status 64, nobody asked', async () => {
    const bad = { questions: [{ id: 'Deploy-Target', header: ' ', question: ' ', options: [{ label: 'Other…' }] }] };
    const program = home.beckon(['ask', '--json', '-'], { input: 'pipe' });
    program.child.stdin.end(JSON.stringify(bad));
    const { code, stdout, stderr } = await program.end();
    for (const fault of [/snake_case/, /header is empty/, /question is empty/, /2 to 4 options/, /'Other'/]) assert.match(stderr, fault);
    assert.equal(stdout, '');
    assert.equal(code, 64);
    assert.equal((await home.ask().end()).code, 64);
    assert.deepEqual(await watcher.pending(), []);
  });

  test('no gateway: it says so, exit status 1', async () => {
    const nobody = new Home();
    const never = await nobody.ask(...ASK).end();
    assert.match(never.stderr, /no gateway runs here/);
    assert.equal(never.code, 1);

    await (await nobody.gateway()).kill();
    // Whoever listens at its last address now is not to be handed its token.
    assert.match((await nobody.ask(...ASK).end()).stderr, /no gateway runs here/);
    const gone = await nobody.ask(...ASK, '--gateway', nobody.url, '--token-file', join(nobody.directory, 'gateway/token')).end();
    assert.match(gone.stderr, /the gateway can't be reached/);
    assert.equal(gone.code, 1);
  });

  test('outlives a killed gateway: same deadline, and the answer given afterwards arrives', async () => {
    const { program, question } = await ask(...ASK);
    await gateway.kill();
    gateway = await home.gateway();
    watcher = await home.connect();
    const [survivor] = await watcher.pending();
    assert.deepEqual(survivor, question);
    const page = await phone(browser, (await home.open()).url);
    const card = cardAbout(page, DEPLOY.question);
    await choose(card, 'Staging');
    await press(card, 'Send');
    const { code, stdout } = await program.end();
    const key = question.questions[0].questionId;
    assert.deepEqual(JSON.parse(stdout), { status: 'answered', answers: { answers: { [key]: ['Staging (Recommended)'] } } });
    assert.equal(code, 0);
    await ended(card, 'Staging');
  });
});

test('whatever the gateway acknowledged is there after it was killed', async t => {
  const ROUNDS = 20;
  const BURST = 40;
  const home = new Home();
  const acknowledged = new Map();
  let cutShort = 0;
  let burst;
  for (let round = 0; round < ROUNDS; round++) {
    const gateway = await home.gateway();
    const client = await home.connect();
    const kept = new Map((await client.pending()).map(record => [record.id, record.expiresAtMs]));
    for (const [id, expiresAtMs] of acknowledged) assert.equal(kept.get(id), expiresAtMs, `${id}, acknowledged before round ${round}`);

    // A burst of questions, and the kill somewhere between the first and the last acknowledgement. The first burst
    // is left alone and says how long that is.
    const start = performance.now();
    const all = Promise.all(Array.from({ length: BURST }, (_, number) => client.ask(request([DEPLOY], { id: `round-${round}-${number}` }))
      .then(({ id, expiresAtMs }) => acknowledged.set(id, expiresAtMs), () => { cutShort++; })));
    if (round === 0) {
      await all;
      burst = performance.now() - start;
    } else {
      await delay(Math.random() * burst);
    }
    await gateway.kill();
    await all;
  }
  t.diagnostic(`a burst takes ${burst.toFixed(1)} ms; ${acknowledged.size} acknowledged, ${cutShort} cut short`);
  // Otherwise the kills missed the moment they are about.
  assert.ok(cutShort > BURST && acknowledged.size > 2 * BURST);
});

// What a running gateway does, seen from its clients. Any server of the protocol can be measured: it is given as
// `connect(options)`, which resolves with a client that finished its handshake.
//
// The client is one Node process that reads every event, so that the numbers of two gateways compare, and none of
// them says how fast a gateway could be with a client on another machine.
import { randomUUID } from 'node:crypto';
import { newDevice } from '../support/gateway-client.mjs';
import { summary } from './statistics.mjs';

const QUESTIONS = [{
  questionId: 'go', header: 'Go', question: 'Proceed?', isOther: true,
  options: [{ label: 'Yes', description: 'Do it' }, { label: 'No' }],
}];
const SESSION = { sessionKey: 'agent:main:main', agentId: 'main' };
const newRequest = session => ({ id: randomUUID(), questions: QUESTIONS, timeoutMs: 600_000, ...session });

async function timed(act) {
  const start = performance.now();
  const value = await act();
  return [performance.now() - start, value];
}

/** Handshakes of devices the gateway has never seen, and of one it knows. */
export async function handshakes(connect, rounds = 20) {
  const times = { fresh: [], known: [] };
  const device = newDevice();
  await (await connect({ device })).close();
  for (let round = 0; round < rounds; round++) {
    for (const [kind, options] of [['fresh', {}], ['known', { device }]]) {
      const [ms, client] = await timed(() => connect(options));
      times[kind].push(ms);
      await client.close();
    }
  }
  return { fresh: summary(times.fresh), known: summary(times.known) };
}

/** One question after another between an asker and a phone, each on its own connection. */
export async function latencies(connect, { rounds = 200, inSession = false } = {}) {
  const [asker, phone] = [await connect(), await connect()];
  const atAsker = arrivals(asker, 'question.resolved');
  const atPhone = arrivals(phone, 'question.requested');
  const times = { requestToResponse: [], requestToEvent: [], resolveToResponse: [], resolveToEvent: [], round: [] };
  for (let round = 0; round < rounds; round++) {
    const request = newRequest(inSession ? SESSION : {});
    const asked = performance.now();
    const accepted = asker.ask(request).then(() => performance.now());
    times.requestToEvent.push(await atPhone(request.id) - asked);
    times.requestToResponse.push(await accepted - asked);
    const answered = performance.now();
    const acknowledged = phone.answer(request.id, { go: ['Yes'] }).then(() => performance.now());
    const ended = await atAsker(request.id);
    times.resolveToEvent.push(ended - answered);
    times.resolveToResponse.push(await acknowledged - answered);
    times.round.push(ended - asked);
  }
  await Promise.all([asker.close(), phone.close()]);
  return Object.fromEntries(Object.entries(times).map(([name, samples]) => [name, summary(samples)]));
}

/** When the event of that name about a question arrived, on the clock of `performance.now()`. */
function arrivals(client, name) {
  const arrived = new Map();
  const awaited = new Map();
  client.keep = false;
  client.onEvent = ({ event, payload }) => {
    if (event !== name) return;
    const now = performance.now();
    if (awaited.has(payload.id)) awaited.get(payload.id)(now);
    else arrived.set(payload.id, now);
  };
  return id => arrived.has(id) ? Promise.resolve(arrived.get(id)) : new Promise(resolve => awaited.set(id, resolve));
}

/** Rounds of request and resolve, `inFlight` at a time over `sockets` connections. */
export async function throughput(connect, { inFlight = 50, sockets = 1, rounds = 2000 } = {}) {
  const clients = [];
  while (clients.length < sockets) clients.push(Object.assign(await connect(), { keep: false }));
  let left = rounds;
  const times = [];
  const [total] = await timed(() => Promise.all(Array.from({ length: inFlight }, async (_, worker) => {
    const client = clients[worker % sockets];
    while (left-- > 0) {
      const request = newRequest();
      const [ms] = await timed(async () => {
        await client.ask(request);
        await client.answer(request.id, { go: ['No'] });
      });
      times.push(ms);
    }
  })));
  await Promise.all(clients.map(client => client.close()));
  return { perSecond: rounds / (total / 1000), round: summary(times) };
}

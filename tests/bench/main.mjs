// Beckon's gateway beside OpenClaw's, one after the other on this machine in this minute, as a Markdown table.
//
//   npm run bench [-- --starts 3 --rounds 200 --load 2000]
//
// Numbers of two runs don't compare: the machine was busy with something else.
import { mkdirSync, readFileSync } from 'node:fs';
import { availableParallelism, loadavg } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { Home } from '../support/beckon.mjs';
import { OpenClaw } from '../support/openclaw.mjs';
import { target } from '../support/paths.mjs';
import { until } from '../support/processes.mjs';
import { scratch } from '../support/scratch.mjs';
import { syncTimes } from './disk.mjs';
import { handshakes, latencies, throughput } from './measure.mjs';
import { summary } from './statistics.mjs';

const { values } = parseArgs({ options: {
  starts: { type: 'string', default: '3' }, rounds: { type: 'string', default: '200' }, load: { type: 'string', default: '2000' },
} });
const [starts, rounds, load] = [values.starts, values.rounds, values.load].map(Number);

// Beside the build, not in the system's temporary directory: that may be memory, where durability costs nothing.
const parent = join(target, 'bench');
mkdirSync(parent, { recursive: true });

/** Mebibytes of memory that the process itself has resident. */
const resident = pid => Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))[1]) / 1024;

async function measure(gateway) {
  const connect = options => gateway.connect(options);
  const result = { memoryAtStart: resident(gateway.program.pid) };
  result.handshake = await handshakes(connect);
  result.plain = await latencies(connect, { rounds });
  result.session = await latencies(connect, { rounds, inSession: true });
  result.oneSocket = await throughput(connect, { rounds: load });
  result.manySockets = await throughput(connect, { rounds: load, sockets: 50 });
  result.memoryAtEnd = resident(gateway.program.pid);
  return result;
}

async function openclaw() {
  const gateway = await OpenClaw.start({ directory: scratch('openclaw', parent), poll: 20 });
  const ready = [gateway.readyMs];
  while (ready.length < starts) {
    await gateway.kill();
    ready.push(await gateway.run({ poll: 20 }));
  }
  const result = { ready: summary(ready), ...await measure(gateway) };
  await gateway.stop();
  return result;
}

async function beckon() {
  const home = new Home({ directory: scratch('beckon', parent), profile: 'release' });
  const ready = [];
  let program;
  const start = async () => {
    program = await home.gateway();
    await until(() => home.connect().then(client => client.close()), { every: 2 });
    ready.push(performance.now() - program.startedAt);
  };
  await start();
  while (ready.length < starts) {
    await program.kill();
    await start();
  }
  const result = { ready: summary(ready), ...await measure({ program, connect: options => home.connect(options) }) };
  await program.kill();
  return result;
}

const number = value => value >= 100 ? value.toFixed(0) : value.toFixed(2);
const times = ({ p50, p95, p99 }) => [p50, p95, p99].map(number).join(' / ');
/** One line of the table: `pick` finds the figure in a result, `show` writes it, `cost` is what the ratio is made of. */
function row(what, pick, { show = number, cost = value => value } = {}) {
  const [theirs, ours] = [pick(results.openclaw), pick(results.beckon)];
  const ratio = cost(theirs) / cost(ours);
  return `| ${what} | ${show(theirs)} | ${show(ours)} | ${ratio.toFixed(ratio < 10 ? 2 : 0)}× |`;
}
const timesRow = (what, pick) => row(what, pick, { show: times, cost: figure => figure.p50 });

const disk = syncTimes(scratch('disk', parent));
const results = { openclaw: await openclaw(), beckon: await beckon() };
const STEPS = {
  requestToResponse: 'request to response', requestToEvent: 'request to event at the phone',
  resolveToResponse: 'resolve to response', resolveToEvent: 'resolve to event at the asker', round: 'whole round',
};
console.log([
  `${availableParallelism()} cores, load average ${loadavg()[0].toFixed(1)} at the end. This disk appends 4 KiB and syncs in ` +
    `${times(disk)} ms. Times are median / p95 / p99 in ms; the last column is OpenClaw's median over Beckon's.`,
  '',
  '| what | OpenClaw | Beckon | ratio |',
  '| --- | --- | --- | --- |',
  row(`start to first handshake, ms, median of ${starts}`, result => result.ready.p50),
  row('resident memory after the start, MiB', result => result.memoryAtStart),
  row('resident memory at the end, MiB', result => result.memoryAtEnd),
  timesRow('handshake, unknown device', result => result.handshake.fresh),
  timesRow('handshake, known device', result => result.handshake.known),
  ...[['plain', 'no session'], ['session', 'in a session']].flatMap(([kind, where]) =>
    Object.entries(STEPS).map(([step, words]) => timesRow(`${words}, ${where}`, result => result[kind][step]))),
  ...[['oneSocket', 'one socket'], ['manySockets', '50 sockets']].flatMap(([kind, over]) => [
    row(`rounds a second, 50 in flight over ${over}`, result => result[kind].perSecond, { cost: rate => 1 / rate }),
    timesRow(`round, 50 in flight over ${over}`, result => result[kind].round),
  ]),
].join('\n'));
// An open socket of a client must not keep a finished measurement alive.
process.exit();

// A real OpenClaw gateway whose agent obeys the test: see interop/openclaw/model.mjs for what to tell it.
import { randomBytes, randomUUID } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { config, environment } from '../interop/openclaw/config.mjs';
import { installOpenClaw } from '../interop/openclaw/install.mjs';
import { startModel } from '../interop/openclaw/model.mjs';
import { GatewayClient } from './gateway-client.mjs';
import { freePort, Program, until } from './processes.mjs';
import { scratch } from './scratch.mjs';

export class OpenClaw {
  /** Installs it when needed, starts it, and waits until it lets a client in. */
  static async start({ directory = scratch('openclaw'), ...timing } = {}) {
    const installed = await installOpenClaw();
    const gateway = new OpenClaw();
    gateway.installed = installed;
    gateway.directory = directory;
    gateway.token = randomBytes(16).toString('hex');
    gateway.port = await freePort();
    gateway.url = `ws://127.0.0.1:${gateway.port}`;
    gateway.model = await startModel();
    for (const name of ['home', 'state', 'workspace']) mkdirSync(join(gateway.directory, name));
    writeFileSync(join(gateway.directory, 'openclaw.json'), JSON.stringify(config({ ...gateway, modelPort: gateway.model.port })));
    gateway.readyMs = await gateway.run(timing);
    return gateway;
  }

  /** Starts it on the state it has; resolves with the time from the start to the first finished handshake, in ms. */
  async run({ poll = 100 } = {}) {
    const { node, script } = this.installed;
    this.program = new Program(node, [script, 'gateway', 'run'], { name: 'OpenClaw gateway', env: environment(this.directory) });
    await until(() => {
      if (this.program.code !== undefined) throw this.program.failure(`ended with ${this.program.code}`);
      return this.connect().then(client => client.close());
    }, { what: 'a handshake with OpenClaw', within: 120_000, every: poll }).catch(error => { throw this.program.failure(error.message); });
    return performance.now() - this.program.startedAt;
  }

  connect(options) { return GatewayClient.connect({ url: this.url, token: this.token, ...options }); }

  /** Ends it as a power cut would; `run` starts it again on the same port and state. */
  kill() { return this.program.kill(); }

  async stop() {
    // No SIGTERM: it would wait minutes for a pending question.
    await this.program?.kill();
    this.model?.close();
  }
}

/**
 * Has the agent ask; resolves with `{runId, question}` once the question is on the wire. `client` starts the run, in a
 * session of its own: a session asks one question at a time.
 */
export async function agentAsks(client, questions, sessionKey = `agent:main:${randomUUID()}`) {
  const idempotencyKey = randomUUID();
  const { runId } = await client.request('chat.send', { sessionKey, message: `ASK ${JSON.stringify({ questions })}`, idempotencyKey });
  const question = await client.requested(record => record.runId === runId, { within: 60_000 });
  return { runId, question };
}

/** What the agent said in the end. */
export async function agentSaid(client, runId) {
  const { payload } = await client.event('chat', chat => chat.runId === runId && ['final', 'aborted', 'error'].includes(chat.state), { within: 60_000 });
  return payload.message?.content?.map(part => part.text).join('') ?? payload;
}

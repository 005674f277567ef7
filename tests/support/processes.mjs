// Programs that a test starts.
//
// Each one leads a process group of its own, so that ending it ends what it started as well, and whatever is still
// running when the test process goes away is killed then. A program that fails to do what a test waits for shows its
// whole output in the error: nobody has to run it again to see why.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';

const running = new Set();
process.on('exit', () => running.forEach(program => program.signal('SIGKILL')));
// Without a handler these end the process before 'exit' is reached.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => process.exit(1));

export class Program {
  /** Everything it wrote so far, both streams. */
  output = '';
  stdout = '';
  stderr = '';
  #changed = new Set();

  constructor(command, args = [], { name = command, env = process.env, cwd, input = 'ignore' } = {}) {
    this.name = name;
    this.startedAt = performance.now();
    this.child = spawn(command, args, { env, cwd, detached: true, stdio: [input, 'pipe', 'pipe'] });
    for (const stream of ['stdout', 'stderr']) {
      this.child[stream].setEncoding('utf8').on('data', text => {
        this[stream] += text;
        this.output += text;
        this.#changed.forEach(check => check());
      });
    }
    running.add(this);
    /** Resolves with the exit code, or the name of the signal that ended it, once all output was read. */
    this.ended = new Promise(resolve => {
      this.child.once('error', error => { this.output += `${error.message}\n`; resolve(this.#end(127)); });
      this.child.once('close', (code, signal) => resolve(this.#end(code ?? signal)));
    });
  }

  #end(code) {
    this.code ??= code;
    running.delete(this);
    this.#changed.forEach(check => check());
    return this.code;
  }

  get pid() { return this.child.pid; }

  /** The first match of `pattern` in its standard output; fails when the program ends or the time is up before. */
  line(pattern, { within = 20_000 } = {}) {
    return new Promise((resolve, reject) => {
      const settle = (act, value) => { clearTimeout(timer); this.#changed.delete(check); act(value); };
      const check = () => {
        const match = pattern.exec(this.stdout);
        if (match) settle(resolve, match);
        else if (this.code !== undefined) settle(reject, this.failure(`ended (${this.code}) before it printed ${pattern}`));
      };
      const timer = setTimeout(() => settle(reject, this.failure(`did not print ${pattern} within ${within} ms`)), within);
      this.#changed.add(check);
      check();
    });
  }

  /** How it ended: `{code, stdout, stderr}`. Fails when it is still running after `within` ms. */
  async end({ within = 20_000 } = {}) {
    const stop = new AbortController();
    const code = await Promise.race([this.ended, delay(within, undefined, { signal: stop.signal })]);
    stop.abort();
    if (code === undefined) throw this.failure(`was still running after ${within} ms`);
    return { code, stdout: this.stdout, stderr: this.stderr };
  }

  /** Sends a signal to its whole group. */
  signal(name) {
    try { process.kill(-this.pid, name); } catch { /* all of it has ended */ }
  }

  /** Ends it as a power cut would, and waits until it is gone. */
  async kill() {
    this.signal('SIGKILL');
    await this.ended;
  }

  /** Asks it to end; kills it when it does not. */
  async stop({ within = 5_000 } = {}) {
    if (this.code !== undefined) return;
    this.signal('SIGTERM');
    await Promise.race([this.ended, delay(within, undefined, { ref: false })]);
    await this.kill();
  }

  failure(what) {
    return new Error(`${this.name} ${what}. Its output:\n${this.output.trimEnd() || '(none)'}`);
  }
}

/** Runs a program to its end; fails unless it succeeds. */
export async function run(command, args, { within = 600_000, ...options } = {}) {
  const program = new Program(command, args, options);
  const { code } = await program.end({ within }).catch(async error => { await program.kill(); throw error; });
  if (code !== 0) throw program.failure(`ended with ${code}`);
  return program;
}

/** A TCP port of the loopback address that was free a moment ago. */
export async function freePort() {
  const { createServer } = await import('node:net');
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address();
  server.close();
  await once(server, 'close');
  return port;
}

/** Repeats `attempt` until it returns something true; the last error is the reason when the time is up. */
export async function until(attempt, { what = 'the condition', within = 20_000, every = 50 } = {}) {
  const deadline = performance.now() + within;
  for (let last; ;) {
    try {
      const value = await attempt();
      if (value) return value;
    } catch (error) { last = error; }
    if (performance.now() > deadline) throw new Error(`${what}: not within ${within} ms`, { cause: last });
    await delay(every);
  }
}

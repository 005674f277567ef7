// The programs under test, each on a home directory of its own.
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { GatewayClient } from './gateway-client.mjs';
import { target } from './paths.mjs';
import { Program } from './processes.mjs';
import { scratch } from './scratch.mjs';

/** Path of a built program; `BECKON_BIN_DIR` says where else to look. */
export function binary(name, profile = 'debug') {
  const path = join(process.env.BECKON_BIN_DIR || join(target, profile), name);
  if (!existsSync(path)) throw new Error(`${path} is not there: build it first, or set BECKON_BIN_DIR`);
  return path;
}

/** One person's computer: a directory that holds all state of Beckon, and the programs that run on it. */
export class Home {
  constructor({ directory = scratch(), profile = 'debug' } = {}) {
    Object.assign(this, { directory, profile });
  }

  get environment() {
    return {
      ...process.env, HOME: this.directory, BECKON_HOME: this.directory,
      // The key store of whoever runs the tests is none of their business: here there is none.
      DBUS_SESSION_BUS_ADDRESS: 'unix:path=/nowhere',
    };
  }

  /** Starts `beckon` with these arguments. */
  beckon(args, options) {
    return new Program(binary('beckon', this.profile), args, { name: `beckon ${args[0]}`, env: this.environment, ...options });
  }

  /** Starts the gateway alone; resolves once it listens. The port stays the same over restarts. */
  async gateway(...args) {
    const program = this.beckon(['gateway', '--port', String(this.port ?? 0), ...args]);
    [, this.port] = await program.line(/listening on ws:\/\/127\.0\.0\.1:(\d+)/);
    return program;
  }

  /** Serves the interface to a browser; resolves with the program, its `url` the page to open. */
  async open(...args) {
    const program = this.beckon(['open', '--port', '0', ...args]);
    const [url] = await program.line(/http:\/\/127\.0\.0\.1:\d+\/\?key=\S+/);
    return Object.assign(program, { url });
  }

  /** Puts a question from the shell: the program that waits for its answer. */
  ask(...args) { return this.beckon(['ask', ...args]); }

  /** The shared token of this home's gateway. */
  get token() { return readFileSync(join(this.directory, 'gateway/token'), 'utf8').trim(); }

  /** Where this home's gateway says that it is, whichever program runs it. */
  get url() { return JSON.parse(readFileSync(join(this.directory, 'gateway/endpoint.json'), 'utf8')).address; }

  /** Another client of this home's gateway. */
  connect(options) { return GatewayClient.connect({ url: this.url, token: this.token, ...options }); }
}

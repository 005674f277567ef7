// A desktop session of its own for the app's window: a display, a message bus and an unlocked key store.
import { chmodSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { Program } from './processes.mjs';
import { scratch } from './scratch.mjs';

export class DesktopSession {
  static async start() {
    const session = new DesktopSession();
    // It chooses a free display and prints its number.
    session.display = new Program('Xvfb', ['-displayfd', '1', '-screen', '0', '1280x800x24', '-nolisten', 'tcp']);
    const [, number] = await session.display.line(/^(\d+)\n/);
    const directory = scratch('session');
    session.environment = {
      ...process.env, DISPLAY: `:${number}`, XDG_DATA_HOME: join(directory, 'data'), XDG_RUNTIME_DIR: join(directory, 'run'),
    };
    delete session.environment.DBUS_SESSION_BUS_ADDRESS;
    mkdirSync(session.environment.XDG_DATA_HOME);
    mkdirSync(session.environment.XDG_RUNTIME_DIR);
    // Others refuse to use it when someone else could.
    chmodSync(session.environment.XDG_RUNTIME_DIR, 0o700);
    return session;
  }

  /** Starts a program in it. The key store ends with the bus, and the bus with the program. */
  start(command, args, { env, ...options } = {}) {
    const unlocked = 'printf test | gnome-keyring-daemon --unlock --components=secrets >/dev/null && exec "$@"';
    return new Program('dbus-run-session', ['--', 'bash', '-c', unlocked, 'session', command, ...args],
      { name: command, env: { ...this.environment, ...env }, ...options });
  }

  stop() { return this.display.kill(); }
}

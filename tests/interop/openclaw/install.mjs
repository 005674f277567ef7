// Gets a real OpenClaw gateway and the Node that it needs, once, and keeps them under the build's target directory.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { target } from '../../support/paths.mjs';
import { run } from '../../support/processes.mjs';

// In this order: OpenClaw's install scripts refuse an older Node than this.
const PACKAGES = ['node@26.10.0', 'openclaw@2026.9.6'];

/** Resolves with `{node, script}`: the program and its first argument. Fails with npm's words when it can't be had. */
export async function installOpenClaw() {
  const directory = join(target, 'openclaw-peer');
  const modules = join(directory, 'node_modules');
  // Written last, so that an install that was cut short is done again.
  const marker = join(directory, 'installed.json');
  if (!existsSync(marker) || readFileSync(marker, 'utf8') !== JSON.stringify(PACKAGES)) {
    mkdirSync(directory, { recursive: true });
    writeFileSync(join(directory, 'package.json'), '{"private":true}\n');
    const env = outsideWorkspace(process.env);
    env.PATH = `${join(modules, '.bin')}${delimiter}${env.PATH}`;
    for (const name of PACKAGES) {
      await run('npm', ['install', '--no-audit', '--no-fund', name], { name: `npm install ${name}`, cwd: directory, env });
    }
    writeFileSync(marker, JSON.stringify(PACKAGES));
  }
  return { node: join(modules, 'node/bin/node'), script: join(modules, 'openclaw/openclaw.mjs') };
}

/** `npm run` tells its children which workspace they are in; the install must not land there. */
function outsideWorkspace(env) {
  const workspace = /^npm_(package|lifecycle)_|^npm_config_(local_prefix|prefix|workspaces?|include_workspace_root)$/i;
  return Object.fromEntries(Object.entries(env).filter(([name]) => !workspace.test(name)));
}

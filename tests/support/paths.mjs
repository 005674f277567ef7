// Where things are in this repository.
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = fileURLToPath(new URL('../..', import.meta.url));
export const target = process.env.CARGO_TARGET_DIR ?? join(root, 'target');
/** Screenshots and other things to look at after a run. */
export const out = join(root, 'tests/out');
mkdirSync(out, { recursive: true });

// Directories that live as long as the test process.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const made = [];
process.on('exit', () => made.forEach(path => rmSync(path, { recursive: true, force: true })));

/** A new empty directory. */
export function scratch(name = 'beckon', within = tmpdir()) {
  const path = mkdtempSync(join(within, `${name}-`));
  made.push(path);
  return path;
}

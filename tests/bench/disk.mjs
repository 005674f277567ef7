// What the disk itself costs: a gateway that keeps its promises can't acknowledge a question faster than this.
import { closeSync, fdatasyncSync, openSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { summary } from './statistics.mjs';

/** Time to append 4 KiB and have it on the disk, in ms. */
export function syncTimes(directory, rounds = 200) {
  const file = openSync(join(directory, 'sync-probe'), 'a');
  const block = Buffer.alloc(4096, 1);
  const times = Array.from({ length: rounds }, () => {
    const start = performance.now();
    writeSync(file, block);
    fdatasyncSync(file);
    return performance.now() - start;
  });
  closeSync(file);
  return summary(times);
}

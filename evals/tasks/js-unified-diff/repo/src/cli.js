import { readFileSync } from 'node:fs';
import { summary } from './summary.js';
import { unifiedDiff } from './unified.js';

/** `cfgdiff [--summary] A B`: 0 when they are equal, 1 when not, 2 when something is wrong. */
export function main(args, print = console.log) {
  const files = args.filter((arg) => !arg.startsWith('--'));
  if (files.length !== 2) {
    print('usage: cfgdiff [--summary] A B');
    return 2;
  }
  const [before, after] = files.map((file) => readFileSync(file, 'utf8'));
  if (args.includes('--summary')) print(summary(before, after));
  else if (before !== after) print(unifiedDiff(before, after, { from: files[0], to: files[1] }));
  return before === after ? 0 : 1;
}

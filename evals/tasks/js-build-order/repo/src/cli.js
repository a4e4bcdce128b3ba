import { readFileSync } from 'node:fs';
import { build } from './build.js';

export async function main(file, print = console.log) {
  try {
    await build(readFileSync(file, 'utf8'), async (name) => print(`built ${name}`));
    return 0;
  } catch (error) {
    print(`build: ${error.message}`);
    return 1;
  }
}

import { readFileSync } from 'node:fs';
import { OPTIONS } from '../bin/thumb.js';

const readme = readFileSync(new URL('../README.md', import.meta.url), 'utf8');
const missing = Object.keys(OPTIONS).filter((name) => !readme.includes(`| \`--${name}\``));
if (missing.length > 0) {
  console.error(`README.md has no row for: ${missing.map((name) => `--${name}`).join(', ')}`);
  process.exit(1);
}

import { readFileSync } from 'node:fs';
import { COMMANDS } from '../src/commands/index.js';

const text = readFileSync(new URL('../docs/commands.md', import.meta.url), 'utf8');
const sections = [...text.matchAll(/^## (.+)$/gm)].map((match) => match[1]);
const problems = [];
for (const [name, { options }] of Object.entries(COMMANDS)) {
  if (!sections.includes(name)) problems.push(`docs/commands.md: no section for ${name}`);
  for (const option of Object.keys(options)) {
    if (!text.includes(`| \`--${option}\``)) problems.push(`docs/commands.md: no row for --${option} of ${name}`);
  }
}
for (const problem of problems) console.error(problem);
process.exit(problems.length > 0 ? 1 : 0);

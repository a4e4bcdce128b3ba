import { readFileSync } from 'node:fs';

const read = (name) => readFileSync(new URL(name, import.meta.url), 'utf8');
const { version, ...contexts } = JSON.parse(read('keymap.json'));
const commands = new Set(read('commands.txt').split('\n').filter(Boolean));
const problems = [];

if (version !== 3) problems.push(`version should be 3, but is ${version}`);
if (Object.keys(contexts).join() !== 'global,editor,files') problems.push('there must be global, editor and files');

for (const [context, shortcuts] of Object.entries(contexts)) {
  const seen = new Set();
  for (const [key, command] of Object.entries(shortcuts)) {
    if (!/^(ctrl\+)?(alt\+)?(shift\+)?[a-z0-9]+$/.test(key)) problems.push(`${context}: not a shortcut: ${key}`);
    if (!commands.has(command)) problems.push(`${context}: no such command: ${command}`);
    if (seen.has(command)) problems.push(`${context}: ${command} has two shortcuts`);
    if (context !== 'global' && key in contexts.global) problems.push(`${context}: ${key} is a global shortcut`);
    seen.add(command);
  }
}

for (const problem of problems) console.error(problem);
process.exit(problems.length > 0 ? 1 : 0);

import { readFileSync } from 'node:fs';

// Reads the rules: enough of YAML for this file.
const text = readFileSync(new URL('rules/alerts.yaml', import.meta.url), 'utf8');
const rules = [];
for (const line of text.split('\n')) {
  if (line.includes('\t')) throw new Error(`a tab in: ${line}`);
  const name = /^ {2}- name: (\S+)$/.exec(line);
  if (name) rules.push({ name: name[1] });
  const value = /^ {4}(\w+): (.*)$/.exec(line);
  if (value) rules.at(-1)[value[1]] = value[2];
}

const problems = [];
for (const rule of rules) {
  for (const key of ['above', 'for']) {
    if (!/^\d+$/.test(rule[key])) problems.push(`${rule.name}: ${key} must be a number, not ${rule[key]}`);
  }
}

const warning = rules.find((rule) => rule.name === 'disk-warning');
if (warning?.above !== '85') problems.push(`disk-warning: above should be 85, but is ${warning?.above}`);
if (warning?.for !== '10') problems.push(`disk-warning: for should be 10, but is ${warning?.for}`);

for (const problem of problems) console.error(problem);
process.exit(problems.length > 0 ? 1 : 0);

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';

// Comments after the values may be added; everything else of the rules is as wanted.
const strip = (text) =>
  text
    .split('\n')
    .map((line) => line.replace(/\s*#.*$/, '').trimEnd())
    .filter((line) => line !== '')
    .join('\n');
const rules = `rules:
  - name: disk-warning
    metric: disk.used
    above: 85
    for: 10
    notify: [chat]
  - name: disk-critical
    metric: disk.used
    above: 95
    for: 5
    notify: [chat, phone]
  - name: memory-warning
    metric: memory.used
    above: 90
    for: 5
    notify: [chat]
  - name: cpu-warning
    metric: cpu.busy
    above: 90
    for: 15
    notify: [chat]`;
assert.equal(strip(readFileSync('rules/alerts.yaml', 'utf8')), rules);

const readme = readFileSync('README.md', 'utf8');
const rows = readme
  .split('\n')
  .filter((line) => line.startsWith('|') && !line.includes('---'))
  .map((line) => line.replaceAll(' ', ''));
assert.deepEqual(rows, [
  '|alert|above|for|tells|',
  '|disk-warning|85%|10min|chat|',
  '|disk-critical|95%|5min|chat,phone|',
  '|memory-warning|90%|5min|chat|',
  '|cpu-warning|90%|15min|chat|',
]);
assert.ok(readme.startsWith('# server-alerts\n'));
assert.match(readme, /Restart the watcher after a change\./);

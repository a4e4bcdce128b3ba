import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { COMMANDS } from './src/commands/index.js';

const text = readFileSync('docs/commands.md', 'utf8');
const [intro, ...parts] = text.split(/^## /m);
const sections = Object.fromEntries(parts.map((part) => [part.split('\n')[0].trim(), part]));

test('the code is as it was', () => {
  assert.deepEqual(Object.keys(COMMANDS), ['check', 'list', 'prune', 'restore', 'save']);
  assert.deepEqual(Object.keys(COMMANDS.prune.options), ['dry-run', 'keep-daily', 'keep-monthly']);
  assert.equal(COMMANDS.list.options.limit.default, 20);
});

test('a section each, sorted, and no others', () => {
  assert.match(intro, /^# Commands\n/);
  assert.match(intro, /`backup COMMAND \[OPTIONS\]`/);
  assert.deepEqual(parts.map((part) => part.split('\n')[0].trim()), Object.keys(COMMANDS));
});

test('each section has what it does, its options with defaults, and an example', () => {
  for (const [name, { summary, options }] of Object.entries(COMMANDS)) {
    const section = sections[name];
    assert.ok(section.includes(summary), `summary of ${name}`);
    assert.match(section, new RegExp(`backup ${name}\\b`), `example of ${name}`);
    const rows = section.split('\n').filter((line) => /^\|\s*`--/.test(line)).map((line) => line.split('|').slice(1, -1).map((cell) => cell.trim()));
    assert.deepEqual(rows.map(([option]) => option).sort(), Object.keys(options).map((option) => `\`--${option}\``).sort(), name);
    for (const [cell, value, standard, meaning] of rows) {
      const option = options[cell.slice(3, -1)];
      assert.equal(value.replaceAll('`', ''), option.value ?? '', `${name} ${cell} value`);
      const plain = standard.replaceAll('`', '').replace(/ ?%$/, '');
      if (option.default === false) assert.match(plain, /^(off|false|no)$/, `${name} ${cell}`);
      else assert.equal(plain, String(option.default), `${name} ${cell}`);
      assert.equal(meaning, option.meaning, `${name} ${cell} meaning`);
    }
  }
});

import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { test } from 'node:test';
import { parseArgs } from './src/args.js';
import { listBookmarks } from './src/list.js';

const BOOKMARKS = Object.freeze([
  { title: 'B', url: 'b.org', added: '2024-01-01' },
  { title: 'A', url: 'a.org', added: '2024-03-01' },
  { title: 'C', url: 'c.org', added: '2024-02-01' },
]);
const titles = (...words) => listBookmarks(BOOKMARKS, parseArgs(words)).map((line) => line[0]).join('');

test('parsing', () => {
  assert.equal(parseArgs([]).reverse, false);
  assert.deepEqual(parseArgs(['--reverse', '--limit', '4', '--sort', 'added']), { sort: 'added', limit: 4, reverse: true });
  assert.deepEqual(parseArgs(['--sort', 'added', '--reverse']), { sort: 'added', limit: Infinity, reverse: true });
  assert.throws(() => parseArgs(['--revers']), /unknown flag --revers/);
});

test('listing', () => {
  assert.equal(titles(), 'ABC');
  assert.equal(titles('--reverse'), 'CBA');
  assert.equal(titles('--sort', 'added'), 'BCA');
  assert.equal(titles('--reverse', '--sort', 'added'), 'ACB');
  assert.equal(titles('--reverse', '--limit', '2'), 'CB');
  assert.equal(titles('--limit', '1', '--sort', 'added', '--reverse'), 'A');
});

test('the command', () => {
  const out = execFileSync(process.execPath, ['src/cli.js', 'list', '--reverse', '--limit', '1'], { encoding: 'utf8' });
  assert.equal(out, 'Wiki <https://wikipedia.org>\n');
});

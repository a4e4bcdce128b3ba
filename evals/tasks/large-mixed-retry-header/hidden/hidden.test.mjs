import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { runVideo } from './gateway/src/jobs/video.js';

test('headers of a whole job', async () => {
  const seen = [];
  await runVideo({ trace: 't' }, async (headers, job) => (seen.push(headers), job));
  assert.deepEqual(seen[1], { 'x-step': 'video.check', 'x-attempt-number': '1', 'x-trace': 't' });
});
test('the protocol names the header', () => {
  const text = readFileSync('docs/protocol.md', 'utf8');
  assert.match(text, /^\|\s*`x-attempt-number`/m);
  assert.doesNotMatch(text, /x-try/);
  assert.match(text, /`x-step`[\s\S]*`x-trace`/);
});

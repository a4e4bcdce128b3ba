import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { loadSettings } from './src/settings.js';
import { checkUpload } from './src/upload.js';

const MB = 1024 * 1024;

test('from all sources', () => {
  assert.equal(loadSettings({ env: {} }).maxUploadMb, 20);
  assert.equal(JSON.parse(readFileSync('config/default.json', 'utf8')).maxUploadMb, 20);
  assert.equal(loadSettings({ env: { UPLOADER_MAX_UPLOAD_MB: '500' } }).maxUploadMb, 500);
  assert.equal(loadSettings({ env: { UPLOADER_MAX_UPLOAD_MB: '5' }, given: { maxUploadMb: 6 } }).maxUploadMb, 6);
});

test('checked', () => {
  for (const text of ['0', '501', '1.5', 'many', '', ' ']) {
    assert.throws(() => loadSettings({ env: { UPLOADER_MAX_UPLOAD_MB: text } }), /maxUploadMb must be a whole number from 1 to 500/, text);
  }
  assert.throws(() => loadSettings({ env: {}, given: { maxUploadMb: '20' } }), /maxUploadMb/);
  assert.throws(() => loadSettings({ env: { UPLOADER_MAX_UPLOAD: '1' } }), /is not known/);
});

test('used, in bytes and in words', () => {
  const settings = loadSettings({ env: {}, given: { maxUploadMb: 3 } });
  assert.deepEqual(checkUpload({ type: 'image/png', bytes: 3 * MB }, settings), { ok: true });
  assert.deepEqual(checkUpload({ type: 'image/png', bytes: 3 * MB + 1 }, settings), { ok: false, status: 413, reason: 'larger than 3 MB' });
  assert.equal(checkUpload({ type: 'text/plain', bytes: 1 }, settings).status, 415);
});

test('shown to people', () => {
  const docs = readFileSync('docs/settings.md', 'utf8');
  assert.match(docs, /\| *`maxUploadMb` *\| *`UPLOADER_MAX_UPLOAD_MB` *\| *20 .*500/);
  assert.match(docs, /`keepDays`/);
  assert.match(readFileSync('.env.example', 'utf8'), /^UPLOADER_MAX_UPLOAD_MB=20$/m);
});

test('the others are as they were', () => {
  const { maxUploadMb, ...rest } = loadSettings({ env: { UPLOADER_ALLOW_TYPES: 'a/b, c/d' } });
  assert.deepEqual(rest, { port: 8080, folder: 'uploads', keepDays: 30, allowTypes: ['a/b', 'c/d'] });
});

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { loadSettings } from '../src/settings.js';
import { checkUpload } from '../src/upload.js';

const MB = 1024 * 1024;

test('defaults are right', () => {
  assert.equal(loadSettings({ env: {} }).port, 8080);
});

test('maxUploadMb has a default', () => {
  assert.equal(loadSettings({ env: {} }).maxUploadMb, 20);
});

test('the environment comes first', () => {
  const settings = loadSettings({ env: { UPLOADER_PORT: '99', UPLOADER_MAX_UPLOAD_MB: '5', HOME: '/' } });
  assert.equal(settings.port, 99);
  assert.equal(settings.maxUploadMb, 5);
});

test('the limit is used', () => {
  const settings = loadSettings({ env: {} });
  assert.deepEqual(checkUpload({ type: 'image/png', bytes: 15 * MB }, settings), { ok: true });
  assert.equal(checkUpload({ type: 'image/png', bytes: 21 * MB }, settings).status, 413);
});

test('documented', () => {
  assert.match(readFileSync(new URL('../docs/settings.md', import.meta.url), 'utf8'), /UPLOADER_MAX_UPLOAD_MB/);
});

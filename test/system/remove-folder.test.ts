/** Folders that tasks leave behind. */
import { existsSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from '@jest/globals';
import { makeDeepFolder } from '../support/deep-folder.ts';
import { removeFolder } from '../../sidecar/system/remove-folder.ts';

const root = mkdtempSync(join(tmpdir(), 'remove-folder-'));
afterAll(() => rmSync(root, { recursive: true, force: true }));

test('a folder deeper than any path is removed, and nothing that its links name', async () => {
  writeFileSync(join(root, 'kept.txt'), 'kept');
  const deep = join(root, 'deep');
  makeDeepFolder(deep, root);
  await removeFolder(deep);
  expect(existsSync(deep)).toBe(false);
  expect(readFileSync(join(root, 'kept.txt'), 'utf8')).toBe('kept');
});

test('of a link, only the link; of nothing, nothing', async () => {
  symlinkSync(root, join(root, 'link'));
  await removeFolder(join(root, 'link'));
  await removeFolder(join(root, 'never-there'));
  expect(existsSync(join(root, 'kept.txt'))).toBe(true);
});

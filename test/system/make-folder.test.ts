import { mkdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { makeFolder } from '../../sidecar/system/make-folder.ts';
import { tempFolders } from '../support/temp-folder.ts';

describe('making a folder', () => {
  const tempFolder = tempFolders();

  test('makes its parents too, for this user only, and leaves one that is there as it is', () => {
    const path = join(tempFolder(), 'a', 'b', 'c');
    makeFolder(path);
    makeFolder(path);
    expect(statSync(path).mode & 0o777).toBe(0o700);
    expect(statSync(join(path, '..')).mode & 0o777).toBe(0o700);
    const open = join(tempFolder(), 'open');
    mkdirSync(open, { mode: 0o755 });
    makeFolder(open);
    expect(statSync(open).mode & 0o777).toBe(0o755);
  });

  test('a file in its place or among its parents is an error', () => {
    const file = join(tempFolder(), 'file');
    writeFileSync(file, '');
    expect(() => makeFolder(file)).toThrow(expect.objectContaining({ code: 'EEXIST' }));
    expect(() => makeFolder(join(file, 'a', 'b'))).toThrow(expect.objectContaining({ code: 'ENOTDIR' }));
  });

  // Node's own mkdir would not come back from here.
  (process.platform === 'linux' ? test : test.skip)('below a folder that takes none it is an error', () => {
    for (const path of ['/proc/none', '/proc/none/state', '/proc/self/a/b']) {
      expect(() => makeFolder(path)).toThrow(expect.objectContaining({ code: 'ENOENT' }));
    }
  });
});

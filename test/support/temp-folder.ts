/** A folder of its own for each test, removed afterwards. */
import { afterEach } from '@jest/globals';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Call at the top of a describe block; the returned function makes a folder that the test's end removes. */
export function tempFolders(): () => string {
  const made: string[] = [];
  afterEach(() => {
    for (const folder of made.splice(0)) rmSync(folder, { recursive: true, force: true });
  });
  return () => {
    const folder = mkdtempSync(join(tmpdir(), 'sidecar-test-'));
    made.push(folder);
    return folder;
  };
}

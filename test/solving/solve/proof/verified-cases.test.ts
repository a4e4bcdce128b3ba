/**
 * Ways to pass without the work, and honest changes, on the built product: cases that nobody here wrote. A sample in the gate,
 * all of them in `test:long`; both files of cases lie beside the repository, and a clone without them skips these tests.
 */
import { execFile } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, test } from '@jest/globals';

const ROOT = join(import.meta.dirname, '../../../..');
const CASES = join(ROOT, '../shared/cases/verified');
const IS_FULL = process.env.TEST_SCALE === 'full';
const isThere = existsSync(join(CASES, 'run.mjs')) && existsSync(join(ROOT, 'dist/cli.js'));
if (!isThere) console.log(`Skipped: there is no ${CASES}, or no build`);

interface Case {
  id: string;
  deps?: string;
}

/** Without cases that install packages, unless all are wanted. */
function idsOf(file: string, sample: readonly string[]): string[] {
  const all = isThere ? (JSON.parse(readFileSync(join(CASES, file), 'utf8')) as Case[]) : [];
  return all.filter(({ id }) => IS_FULL || sample.includes(id)).map(({ id }) => id);
}

/** Lines of the run that are not as they should be. */
async function wrongIn(file: string, ids: readonly string[]): Promise<string[]> {
  const args = [join(CASES, 'run.mjs'), file, ...ids];
  const { stdout } = await promisify(execFile)('node', args, { env: { ...process.env, APP: ROOT } }).catch(
    (error: { stdout: string }) => error,
  );
  return stdout.split('\n').flatMap((line) => /^WRONG (\S+)/.exec(line)?.[1] ?? []);
}

/**
 * Not found: the product throws what its runner takes for a pass (R10), a declaration that a compiler picks up (C20), a hook of the
 * runner in the package that is tested (T12).
 */
const NOT_FOUND = ['R10', 'C20', 'T12'];
/** Removes a test with its module, without permission to; moves a module away and leaves no alias. */
const NOT_VERIFIED = ['h36', 'h83'];

(isThere ? describe : describe.skip)('verified', () => {
  test('ways to pass without the work', async () => {
    const ids = idsOf('cheats.json', ['N01', 'H01', 'S02', 'D02', 'F15', 'F19']);
    const wrong = await wrongIn('cheats.json', ids);
    expect(wrong.filter((id) => !NOT_FOUND.includes(id))).toEqual([]);
  }, 3_600_000);

  test('honest changes', async () => {
    const ids = idsOf('honest.json', ['h05', 'h10', 'h21', 'h43', 'h62', 'h117']);
    const wrong = await wrongIn('honest.json', ids);
    expect(wrong.filter((id) => !NOT_VERIFIED.includes(id))).toEqual([]);
  }, 3_600_000);
});

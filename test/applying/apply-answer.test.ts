import { readdirSync } from 'node:fs';
import { access, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { applyAnswer, type Candidate, type ApplyingContext } from '../../sidecar/applying/index.ts';
import { filesUnder } from '../tools/files-under.ts';

const cases = join(import.meta.dirname, '../cases/applying');

async function linesOf(path: string): Promise<string[]> {
  const isThere = await access(path).then(
    () => true,
    () => false,
  );
  return isThere ? (await readFile(path, 'utf8')).split('\n').filter(Boolean) : [];
}

function contextOf(
  files: Record<string, string>,
  kept: readonly string[],
  named: readonly string[],
): ApplyingContext {
  return {
    read: (path) => Promise.resolve(Object.hasOwn(files, path) ? files[path] : undefined),
    shown: Object.keys(files).sort(),
    mayChange: (path) => !kept.includes(path),
    isNamed: (path) => named.includes(path),
  };
}

function filesAfter(before: Record<string, string>, { files }: Candidate): Record<string, string> {
  const after = new Map(Object.entries(before));
  for (const { path, after: text } of files) {
    if (text === undefined) after.delete(path);
    else after.set(path, text);
  }
  return Object.fromEntries(after);
}

describe('an answer is applied', () => {
  // Each folder: input/, answer.txt, expected/ unless nothing may change; kept.txt names files that may not change,
  // named.txt those that the task names,
  // reading.txt the reading that is expected where it is not the first one, which the checks tell,
  // unplaced.txt holds a part of each reason that must be told.
  test.each(readdirSync(cases))('%s', async (name) => {
    const from = join(cases, name);
    const before = await filesUnder(join(from, 'input'));
    const answer = await readFile(join(from, 'answer.txt'), 'utf8');
    const [kept, named] = await Promise.all(
      ['kept.txt', 'named.txt'].map((list) => linesOf(join(from, list))),
    );
    const context = contextOf(before, kept ?? [], named ?? []);
    const parts = readdirSync(from);
    const expected = parts.includes('expected') ? await filesUnder(join(from, 'expected')) : before;
    const candidates = await applyAnswer(answer, context);
    const [reading = candidates[0].reading] = await linesOf(join(from, 'reading.txt'));
    const placed = candidates.find((each) => each.reading === reading) ?? candidates[0];
    expect(placed.reading).toBe(reading);
    for (const file of placed.files) expect(file.before).toBe(before[file.path]);
    expect(filesAfter(before, placed)).toEqual(expected);
    const reasons = placed.leftOut.map(({ reason, excerpt }) => `${reason}: ${excerpt}`);
    const told = await linesOf(join(from, 'unplaced.txt'));
    expect(reasons.filter((reason) => !told.some((text) => reason.includes(text)))).toEqual([]);
    expect(told.filter((text) => !reasons.some((reason) => reason.includes(text)))).toEqual([]);
    if (!parts.includes('problems.txt')) expect(placed.problems).toEqual([]);
    else expect(placed.problems).not.toEqual([]);
  });
});

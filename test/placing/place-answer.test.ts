import { readdirSync } from 'node:fs';
import { access, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { placeAnswer, type Placed, type PlacingContext } from '../../sidecar/placing/index.ts';
import { filesUnder } from '../tools/files-under.ts';

const cases = join(import.meta.dirname, '../cases/placing');

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
): PlacingContext {
  return {
    read: (path) => Promise.resolve(Object.hasOwn(files, path) ? files[path] : undefined),
    shown: Object.keys(files).sort(),
    mayChange: (path) => !kept.includes(path),
    isNamed: (path) => named.includes(path),
  };
}

describe('an answer is placed', () => {
  // Each folder: input/, answer.txt, expected/ unless nothing may change; kept.txt names files that may not change,
  // named.txt those that the task names,
  // unplaced.txt holds a part of each reason that must be told.
  test.each(readdirSync(cases))('%s', async (name) => {
    const from = join(cases, name);
    const before = await filesUnder(join(from, 'input'));
    const answer = await readFile(join(from, 'answer.txt'), 'utf8');
    const [kept, named] = await Promise.all(
      ['kept.txt', 'named.txt'].map((list) => linesOf(join(from, list))),
    );
    const context = contextOf(before, kept ?? [], named ?? []);
    const placed: Placed = await placeAnswer(answer, context);
    const after = { ...before };
    for (const file of placed.files) {
      expect(file.before).toBe(before[file.path]);
      after[file.path] = file.after;
    }
    const parts = readdirSync(from);
    expect(after).toEqual(parts.includes('expected') ? await filesUnder(join(from, 'expected')) : before);
    const reasons = placed.unplaced.map(({ reason, excerpt }) => `${reason}: ${excerpt}`);
    const told = await linesOf(join(from, 'unplaced.txt'));
    expect(reasons.filter((reason) => !told.some((text) => reason.includes(text)))).toEqual([]);
    expect(told.filter((text) => !reasons.some((reason) => reason.includes(text)))).toEqual([]);
    if (!parts.includes('problems.txt')) expect(placed.problems).toEqual([]);
    else expect(placed.problems).not.toEqual([]);
  });
});

/** Which writes of the journal a task waits for: an intent's, before its call runs. */
import { afterEach, expect, test } from '@jest/globals';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { JournalEntry } from '../../sidecar/ports.ts';
import { DyingJournal } from '../support/dying-journal.ts';
import { call, say, scenario, testModel } from '../support/scripted-model.ts';
import { execute } from '../support/scripted-run.ts';
import { cleanUp, temporaryFolder } from '../workspace/repositories.ts';

afterEach(cleanUp);

/** Written at once, on disk when `disk` says so. */
class SlowJournal extends DyingJournal {
  readonly soon: string[][] = [];
  readonly #disk: (kinds: string[]) => Promise<void>;

  constructor(disk: (kinds: string[]) => Promise<void>) {
    super();
    this.#disk = disk;
  }

  appendSoon(entries: JournalEntry[]): Promise<void> {
    const kinds = entries.map(({ kind }) => kind);
    this.soon.push(kinds);
    this.append(entries);
    return this.#disk(kinds);
  }
}

async function run(journal: SlowJournal, dir: string) {
  const write = call('write_file', { file_path: 'a.txt', content: 'a' });
  const read = call('read_file', { file_path: 'a.txt' });
  const server = await testModel(scenario([write, read, say('Done.')]));
  return (await execute({ server, dir, deps: { journal: () => journal } })).result;
}

test('a call with effects runs when its intent is on disk, all else goes on meanwhile', async () => {
  const dir = temporaryFolder();
  let ranBefore: boolean | undefined;
  const journal = new SlowJournal(async (kinds) => {
    if (!kinds.includes('intent')) return new Promise(() => undefined);
    await new Promise((resolve) => setImmediate(resolve));
    ranBefore = existsSync(join(dir, 'a.txt'));
    return undefined;
  });
  const result = await run(journal, dir);
  expect(result.termination_reason).toBe('final_answer');
  expect(ranBefore).toBe(false);
  expect(journal.soon.map((kinds) => kinds.filter((kind) => kind !== 'change'))).toEqual([
    ['answer', 'intent'],
    ['result'],
    ['answer'],
    ['result', 'answer'],
  ]);
});

test('a disk that fails after a write that nobody waited for ends the task at the next one', async () => {
  const full = new Error('the disk is full');
  const journal = new SlowJournal((kinds) =>
    kinds.includes('result') ? Promise.reject(full) : Promise.resolve(),
  );
  await expect(run(journal, temporaryFolder())).rejects.toBe(full);
});

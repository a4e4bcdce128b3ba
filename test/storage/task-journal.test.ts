import { describe, expect, test } from '@jest/globals';
import * as fc from '../support/properties.ts';
import type { JournalEntry } from '../../sidecar/ports.ts';
import { openStateDatabase } from '../../sidecar/storage/state-database.ts';
import { acceptedJournal } from '../support/accepted-journal.ts';
import { outputOf, exitOf, startProgram } from '../support/child-program.ts';
import { tempFolders } from '../support/temp-folder.ts';
import { scaled } from '../support/scale.ts';

const entry = fc.record<JournalEntry>({
  kind: fc.constantFrom('answer', 'intent', 'result', 'input', 'change'),
  stage: fc.constantFrom('run', 'correct-1', 'plan'),
  round: fc.nat(50),
  call: fc.nat(5),
  body: fc.oneof(fc.jsonValue(), fc.string({ unit: 'binary' })),
});

describe('the journal', () => {
  const tempFolder = tempFolders();

  test('gives back every entry of a stage as it was written, in order', () => {
    const db = openStateDatabase(tempFolder());
    let task = 0;
    fc.assert(
      fc.property(fc.array(fc.array(entry, { maxLength: 4 }), { maxLength: 6 }), (appends) => {
        task += 1;
        const journal = acceptedJournal(db, `t${task}`);
        for (const entries of appends) journal.append(entries);
        for (const stage of ['run', 'correct-1', 'plan']) {
          const written = JSON.stringify(appends.flat().filter((one) => one.stage === stage));
          // Compared as text: JSON has one zero, JavaScript two.
          expect(JSON.stringify(journal.read(stage), ['stage', 'kind'])).toBe(
            JSON.stringify(JSON.parse(written), ['stage', 'kind']),
          );
          expect(journal.read(stage).map((one) => one.body)).toEqual(
            (JSON.parse(written) as JournalEntry[]).map((one) => one.body),
          );
        }
      }),
      { numRuns: scaled({ quick: 30, full: 200 }) },
    );
    db.close();
  });

  test('keeps tasks apart and reads what was written before', () => {
    const db = openStateDatabase(tempFolder());
    const one = { kind: 'answer' as const, stage: 'run', round: 1, call: 0, body: 'first' };
    acceptedJournal(db, 'a').append([one]);
    acceptedJournal(db, 'b').append([{ ...one, body: 'other' }]);
    const later = acceptedJournal(db, 'a');
    later.append([{ ...one, round: 2, body: undefined }]);
    expect(later.read('run')).toEqual([one, { ...one, round: 2, body: null }]);
    db.close();
  });

  test('tells how much of its time a task had used, over all its lives', () => {
    const db = openStateDatabase(tempFolder());
    const one = { kind: 'answer' as const, stage: 'run', round: 1, call: 0, body: 'x' };
    const journal = acceptedJournal(db, 'a');
    expect(journal.usedMs?.()).toBe(0);
    journal.append([one, { ...one, usedMs: 5_000 }]);
    acceptedJournal(db, 'a').append([{ ...one, stage: 'correct-1', usedMs: 7_000 }]);
    acceptedJournal(db, 'b').append([{ ...one, usedMs: 60_000 }]);
    expect(acceptedJournal(db, 'a').usedMs?.()).toBe(7_000);
    db.close();
  });

  test('an append is there whole or not at all', () => {
    const db = openStateDatabase(tempFolder());
    const journal = acceptedJournal(db, 'a');
    const circular: Record<string, unknown> = {};
    circular.self = circular;
    const good = { kind: 'intent' as const, stage: 'run', round: 1, call: 0, body: 1 };
    expect(() => journal.append([good, { ...good, body: circular }])).toThrow('circular');
    expect(journal.read('run')).toEqual([]);
    db.close();
  });

  test('waits for the disk again after an append that did not', async () => {
    const db = openStateDatabase(tempFolder());
    const journal = acceptedJournal(db, 'a');
    const entry = { kind: 'result' as const, stage: 'run', round: 1, call: 0, body: 1 };
    const waits = [1, 2, 3].map(async (round) => journal.appendSoon?.([{ ...entry, round }]));
    expect(journal.read('run')).toHaveLength(3);
    expect(db.state.sql.pragma('synchronous', { simple: true })).toBe(2);
    await Promise.all(waits);
    db.close();
  });

  test('an append of which nothing can be kept throws at once', () => {
    const db = openStateDatabase(tempFolder());
    const journal = acceptedJournal(db, 'a');
    db.close();
    expect(() =>
      journal.appendSoon?.([{ kind: 'result', stage: 'run', round: 1, call: 0, body: 1 }]),
    ).toThrow();
  });

  test.each(['append', 'appendSoon'])('every %s that returned is there after a kill -9', async (append) => {
    const folder = tempFolder();
    const child = startProgram(
      `import { openStateDatabase } from './sidecar/storage/state-database.ts';
       import { acceptedJournal } from './test/support/accepted-journal.ts';
       import { writeSync } from 'node:fs';
       const journal = acceptedJournal(openStateDatabase(process.argv[2]), 't');
       for (let round = 1; ; round += 1) {
         journal.${append}([{ kind: 'answer', stage: 'run', round, call: 0, body: round }]);
         writeSync(1, round + '\\n');
       }`,
      folder,
      [folder],
    );
    const exited = exitOf(child);
    let said = await outputOf(child, '\n30\n');
    child.stdout?.on('data', (chunk: Buffer) => (said += chunk.toString()));
    child.kill('SIGKILL');
    await exited;
    const lastSaid = Number(said.trim().split('\n').at(-1));
    const db = openStateDatabase(folder);
    const rounds = acceptedJournal(db, 't')
      .read('run')
      .map((one) => one.round);
    expect(rounds.length).toBeGreaterThanOrEqual(lastSaid);
    expect(rounds).toEqual(rounds.map((_, index) => index + 1));
    db.close();
  });
});

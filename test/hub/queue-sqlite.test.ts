/** The queue's contract on SQLite, the default. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe } from '@jest/globals';
import { describeQueue } from './queue-contract.ts';
import { describeQueueEdges } from './queue-edges.ts';

describe('the queue on SQLite', () => {
  const folder = mkdtempSync(join(tmpdir(), 'sidecar-hub-'));
  let made = 0;
  afterAll(() => rmSync(folder, { recursive: true, force: true }));
  const newDatabase = () => Promise.resolve(join(folder, `hub-${(made += 1)}.db`));
  describeQueue(newDatabase);
  describeQueueEdges(newDatabase);
});

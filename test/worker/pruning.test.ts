import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { configSchema } from '../../sidecar/config/schema.ts';
import { CostLedger } from '../../sidecar/ledger/cost-ledger.ts';
import { readLedger } from '../../sidecar/ledger/export.ts';
import { silentLogger } from '../../sidecar/observability/silent-logger.ts';
import { readHistory } from '../../sidecar/storage/history.ts';
import { openStateDatabase, type StateDatabase } from '../../sidecar/storage/state-database.ts';
import { createTaskRecords, type TaskRecords } from '../../sidecar/storage/task-records.ts';
import { workerFolders } from '../../sidecar/worker/folders.ts';
import { startPruning } from '../../sidecar/worker/pruning.ts';
import { ManualClock } from '../support/manual-clock.ts';
import { tempFolders } from '../support/temp-folder.ts';

const DAY_MS = 86_400_000;

describe('cleaning up after old tasks', () => {
  const tempFolder = tempFolders();
  let clock: ManualClock;
  let folder: string;
  let db: StateDatabase;
  let records: TaskRecords;
  let ledger: CostLedger;
  let isIdle: boolean;
  const actual = { tokensIn: 10, tokensOut: 1, totalNs: 1, loadNs: 0, promptEvalNs: 0, evalNs: 1 };

  beforeEach(async () => {
    clock = new ManualClock();
    folder = tempFolder();
    db = openStateDatabase(folder);
    records = createTaskRecords(db, clock);
    ledger = new CostLedger({ db, clock });
    isIdle = true;
    for (let task = 0; task < 250; task += 1) {
      records.finish(`t${task}`, { outcome: 'failed' });
      const call = ledger.check({ taskId: `t${task}`, model: 'm', iteration: 1, tokensIn: 1, tokensOut: 1 });
      if (call.ok) ledger.settle(call.reservation, actual);
      await clock.advance(1);
    }
  });
  afterEach(() => db.close());

  const start = (retention: object) => {
    const config = configSchema.parse({ retention });
    const folders = workerFolders({ stateDir: folder, dataDir: folder });
    return startPruning({
      config,
      folders,
      records,
      ledger,
      isIdle: () => isIdle,
      clock,
      logger: silentLogger,
    });
  };
  const left = () => [readHistory(folder, { limit: 1000 }).length, readLedger(folder).calls.length];

  test('rows that are too old or too many go in steps, soon after the start', async () => {
    await clock.advance(10 * DAY_MS);
    const pruning = start({ historyCount: 20, ledgerDays: 5 });
    for (let turn = 0; turn < 2000 && left()[1] !== 0; turn += 1) await clock.advance(1000);
    expect(left()).toEqual([20, 0]);
    expect(readLedger(folder).days).toMatchObject([{ calls: 250, tokensIn: 2500 }]);
    await pruning.stop();
    expect(clock.pending).toBe(0);
  });

  test('waits while tasks run, and ends without waiting when the worker does', async () => {
    await clock.advance(10 * DAY_MS);
    isIdle = false;
    const pruning = start({ historyDays: 5, ledgerDays: 5 });
    await clock.advance(6_000);
    for (let turn = 0; turn < 20; turn += 1) await clock.advance(10);
    expect(left()).toEqual([250, 250]);
    await pruning.stop();
    expect(left()).toEqual([250, 250]);
    expect(clock.pending).toBe(0);
  });
});

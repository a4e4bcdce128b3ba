import { describe, expect, test } from '@jest/globals';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { LogSync } from '../../sidecar/storage/log-sync.ts';
import { tempFolders } from '../support/temp-folder.ts';

describe('waiting for the disk beside the work', () => {
  const tempFolder = tempFolders();
  const logFile = () => {
    const path = join(tempFolder(), 'db-wal');
    writeFileSync(path, 'written');
    return path;
  };

  test('who comes during a flush shares the next one', async () => {
    const log = new LogSync(logFile());
    const first = log.wait();
    const [second, third] = [log.wait(), log.wait()];
    expect(second).toBe(third);
    expect(second).not.toBe(first);
    await Promise.all([first, second]);
    await log.wait();
    log.close();
  });

  test('who is in no hurry is done with the next flush, or begins one when none comes', async () => {
    const log = new LogSync(logFile());
    const patient = log.waitWithin(1);
    await log.wait();
    await patient;
    await log.waitWithin(1);
    log.close();
  });

  test('is closed in the middle of a flush, and twice', async () => {
    const log = new LogSync(logFile());
    const waits = [log.wait(), log.wait()];
    log.close();
    log.close();
    await Promise.all(waits);
  });

  test('tells a log that cannot be flushed to everybody who waits', async () => {
    const log = new LogSync(join(tempFolder(), 'missing'));
    const waits = await Promise.allSettled([log.wait(), log.wait()]);
    expect(waits.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    log.close();
  });
});

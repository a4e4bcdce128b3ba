/** A queue in a SQLite file belongs to one hub at a time. */
import { mkdirSync, readdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { startHub } from '../../sidecar/hub/hub.ts';
import { tempFolders } from '../support/temp-folder.ts';
import { testHub } from './hub-fixture.ts';

describe('the lock of a hub’s SQLite file', () => {
  const tempFolder = tempFolders();
  const locked = expect.objectContaining({
    code: 'hub_database_locked',
    message: expect.stringContaining(`process ${process.pid} on`),
  });

  test('a second hub is refused, by whatever path, until the first one is closed', async () => {
    const folder = tempFolder();
    const database = join(folder, 'hub.sqlite');
    const first = await testHub({ database });
    symlinkSync(database, join(folder, 'other.sqlite'));
    await expect(startHub({ database })).rejects.toEqual(locked);
    await expect(startHub({ database: join(folder, 'other.sqlite') })).rejects.toEqual(locked);
    await first.close();
    await testHub({ database });
  });

  test('a start that fails leaves it free', async () => {
    const folder = tempFolder();
    const database = join(folder, 'hub.sqlite');
    mkdirSync(database);
    await expect(startHub({ database })).rejects.toMatchObject({
      code: 'storage_read_only',
    });
    expect(readdirSync(folder)).toEqual(['hub.sqlite']);
  });

  test('hubs in memory do not meet', async () => {
    await testHub();
    await testHub();
  });
});

/** The hub's SQLite file is opened by the same rules as the worker's. */
import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { expect, test } from '@jest/globals';
import { startHub } from '../../sidecar/hub/hub.ts';
import { tempFolders } from '../support/temp-folder.ts';
import { testHub } from './hub-fixture.ts';

const tempFolder = tempFolders();

test('a damaged file is set aside and named; the next start begins with an empty one, for its owner alone', async () => {
  const folder = tempFolder();
  const database = join(folder, 'hub.sqlite');
  const before = await testHub({ database });
  await before.submit();
  await before.close();
  const bytes = readFileSync(database);
  bytes.fill('damage ', 4096);
  writeFileSync(database, bytes);
  await expect(startHub({ database })).rejects.toMatchObject({
    code: 'storage_corrupt',
    message: expect.stringMatching(/is damaged and has been set aside as .*hub\.sqlite\.corrupt-/u),
  });
  expect(readdirSync(folder)).toEqual([expect.stringMatching(/^hub\.sqlite\.corrupt-/u)]);
  const hub = await testHub({ database });
  expect((await hub.get('/api/tasks')).body.tasks).toEqual([]);
  expect(statSync(database).mode & 0o777).toBe(0o600);
});

test('a file that is no database stays where it is', async () => {
  const database = join(tempFolder(), 'notes.txt');
  const notes = 'Somebody else needs this. '.repeat(100);
  writeFileSync(database, notes);
  await expect(startHub({ database })).rejects.toMatchObject({ code: 'storage_corrupt' });
  expect(readFileSync(database, 'utf8')).toBe(notes);
});

test.each([99, 1, 0])(
  'a file of another version (%s) of the schema is refused with advice',
  async (version) => {
    const database = join(tempFolder(), 'hub.sqlite');
    await (await testHub({ database })).close();
    const file = new Database(database);
    file.pragma(`user_version = ${version}`);
    file.close();
    await expect(startHub({ database })).rejects.toMatchObject({
      code: 'storage_other_schema',
      message: expect.stringContaining('use that version, or begin with an empty database'),
    });
  },
);

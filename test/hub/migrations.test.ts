/** A hub's database of an earlier version goes on with what it holds. */
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { expect, test } from '@jest/globals';
import { tempFolders } from '../support/temp-folder.ts';
import { testHub } from './hub-fixture.ts';

const tempFolder = tempFolders();

/** As the first step left it. */
const UNDO = `
  DROP TABLE figures;
  DELETE FROM kysely_migration WHERE name <> '001_queue_events_workers';`;

test('a task that was queued before is still there, and the new tables too', async () => {
  const database = join(tempFolder(), 'hub.sqlite');
  const before = await testHub({ database });
  const taskId = await before.submit();
  await before.close();
  const file = new Database(database);
  file.exec(UNDO);
  file.close();
  const after = await testHub({ database });
  expect((await after.get(`/api/tasks/${taskId}`)).body).toMatchObject({ status: 'queued' });
  expect((await after.get('/api/tasks')).body.tasks).toHaveLength(1);
  expect((await after.get('/api/overview')).status).toBe(200);
});

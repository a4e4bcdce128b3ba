/** A hub that is killed without warning: what it acknowledged is there when it comes back. */
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { tempFolders } from '../support/temp-folder.ts';
import type { Json } from './hub-fixture.ts';
import { startHubProcess } from './hub-process.ts';
import { SimulatedWorker } from './simulated-worker.ts';
import type { Heard } from './simulated-worker.ts';
import { scaled } from '../support/scale.ts';

const rounds = scaled({ quick: 2, full: 10 });
const folder = tempFolders();

async function get(url: string): Promise<Json> {
  return (await fetch(url, { headers: { authorization: 'Bearer admin-token' } })).json();
}

test('loses no task it answered for and no result it acknowledged, and gives no finished task out again', async () => {
  const database = join(folder(), 'hub.db');
  const submitted = new Set<string>();
  const acknowledged = new Set<unknown>();
  let port = 0;
  for (let round = 0; round < rounds; round += 1) {
    const hub = await startHubProcess(database, port);
    ({ port } = hub);
    const worker = await SimulatedWorker.join(hub.wsUrl, { token: 'worker-token', capacity: 3 });
    const doubled: unknown[] = [];
    worker.socket.on('message', (data) => {
      const frame = JSON.parse((data as Buffer).toString()) as Heard;
      if (frame.type === 'task_assign') {
        if (acknowledged.has(frame.task_id)) doubled.push(frame.task_id);
        worker.say('task_accepted', { task_id: frame.task_id });
        worker.complete(frame);
      }
      if (frame.type === 'task_ack' && frame.status === 'complete') acknowledged.add(frame.task_id);
    });
    const submitting = Array.from({ length: 30 }, async () => {
      const response = await fetch(`${hub.url}/api/tasks`, {
        method: 'POST',
        headers: { authorization: 'Bearer admin-token', 'content-type': 'application/json' },
        body: JSON.stringify({ description: 'survive' }),
      });
      const { task_id: id }: Json = await response.json();
      submitted.add(id as string);
    });
    // The kill comes in the middle: some submissions are answered, some results are acknowledged.
    await worker.next('task_ack', { status: 'complete' });
    await hub.kill();
    await Promise.allSettled(submitting);
    await worker.whenClosed();
    expect(doubled).toEqual([]);
  }
  const hub = await startHubProcess(database, port);
  expect(await get(`${hub.url}/api/workers`)).toMatchObject({ workers: [{ connected: false }] });
  for (const id of submitted) expect(await get(`${hub.url}/api/tasks/${id}`)).toMatchObject({ task_id: id });
  for (const id of acknowledged) {
    expect(await get(`${hub.url}/api/tasks/${String(id)}`)).toMatchObject({ status: 'success' });
  }
  expect(submitted.size).toBeGreaterThan(0);
  expect(acknowledged.size).toBeGreaterThan(0);
  await hub.kill();
});

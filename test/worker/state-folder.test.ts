/**
 * Trouble with the state folder: a clear message, exit code 6, and never a lost
 * result. Disks are really full and folders really cannot be written; the worker is the built one, in its own process.
 */
import { chmodSync, existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, test } from '@jest/globals';
import Sqlite from 'better-sqlite3';
import { systemClock } from '../../sidecar/base/system/clock.ts';
import type { ConfigInput } from '../../sidecar/base/config/schema.ts';
import type { ScenarioInput } from '../../sidecar/model/scripted/scenario.ts';
import { eventually } from '../support/eventually.ts';
import { HubDouble } from '../support/hub-double.ts';
import { describeWith } from '../support/requirements.ts';
import { call, say } from '../support/scripted-model.ts';
import { startSystem, type TestSystem } from '../support/sidecar.ts';
import { smallDisk } from '../support/small-disk.ts';
import {
  startWorkerProcess,
  workerPlace,
  type WorkerProcess,
  type WorkerProcessOptions,
} from '../support/worker-process.ts';

let system: TestSystem;
afterEach(() => system.cleanup.close());

const write = call('write_file', { file_path: 'done.txt', content: 'yes\n' });
const task = { verification_steps: [{ type: 'file_exists', target: 'done.txt' }] };
/** Rounds that put much into the journal. */
const wordy = { ...call('shell', { command: 'true', note: 'x'.repeat(90_000) }), repeat: 4 };

async function begin(scenario: ScenarioInput = { turns: [say('Done.')] }): Promise<void> {
  system = await startSystem(scenario);
}

async function worker(
  options: WorkerProcessOptions = {},
  { hub, ...config }: ConfigInput = {},
): Promise<WorkerProcess> {
  const place = await workerPlace(system, 'w1');
  // The floor below which no task is taken is far above what these disks have.
  const small: ConfigInput = { ...config, ...(hub && { hub }), worker: { minFreeDiskBytes: 0 } };
  return startWorkerProcess({ ...place, token: hub?.token ?? place.token }, 'w1', small, options);
}

const state = (file = '') => join(system.dir, 'w1', file);
const refused = async (options: WorkerProcessOptions = {}) => {
  const one = await worker(options);
  expect(await one.ended).toEqual({ code: 6, signal: null });
  return one.output;
};

/** Files of so many blocks: to the worker, a disk that is full; works where nothing can be mounted. */
const filesUpTo = (blocks: number): WorkerProcessOptions => ({
  wrapper: ['sh', '-c', `ulimit -f ${blocks}; exec "$@"`, 'sh'],
});

/** A task whose journal is too large for the disk ends the worker; with more room the next life finishes it. */
async function fillsUp(cramped: WorkerProcessOptions, makeRoom: () => WorkerProcessOptions): Promise<void> {
  const one = await worker(cramped);
  await one.ready();
  const { task_id: id } = await system.client.submit({ description: 'Do it', ...task });
  expect(await one.ended).toEqual({ code: 6, signal: null });
  expect(one.output).toMatch(/state\.sqlite/u);
  expect((await system.client.task(id)).status).toBe('queued');
  const two = await worker(makeRoom());
  await two.ready();
  expect(await system.untilEnded(id)).toMatchObject({
    status: 'success',
    result: { verification_status: 'verified', changes: { files: [{ path: 'done.txt' }] } },
  });
}

describe('a worker whose state folder is in trouble', () => {
  test('a folder that cannot be made is named', async () => {
    await begin();
    writeFileSync(state(), 'a file where the folder should be');
    expect(await refused()).toContain(`${state()}: it cannot be written`);
  });

  test('a damaged database is set aside and named; the next start goes on with an empty one', async () => {
    await begin();
    mkdirSync(state());
    const text = 'this is not a database, and longer than the header of one'.repeat(99);
    writeFileSync(state('state.sqlite'), text);
    expect(await refused()).toMatch(/state\.sqlite is damaged and was renamed to \S+corrupt-/u);
    const next = await worker();
    await next.ready();
    expect((await system.finish({})).status).toBe('success');
  });

  test('a database of another version is left as it is', async () => {
    await begin();
    mkdirSync(state());
    const db = new Sqlite(state('state.sqlite'));
    db.pragma('user_version = 99');
    db.close();
    expect(await refused()).toContain('another program wrote it, or ollama-sidecar before 0.1 (schema 99)');
    expect(readdirSync(state()).filter((name) => name.includes('corrupt'))).toEqual([]);
  });

  test('no room for a byte is told at the start, and no lock stays behind', async () => {
    await begin();
    expect(await refused(filesUpTo(0))).toContain(state('worker.lock'));
    expect(existsSync(state('worker.lock'))).toBe(false);
  });

  test('files that may not grow end it while a task runs, and the next life finishes the task', async () => {
    await begin({ turns: [write, wordy, say('Done.')] });
    await fillsUp(filesUpTo(300), () => ({}));
  });
});

describeWith('small disks', 'a disk that is really full', () => {
  test('while a task runs it ends the worker, and with more room the next life finishes the task', async () => {
    await begin({ turns: [write, wordy, say('Done.')] });
    const disk = await smallDisk(state(), '448k');
    await fillsUp(disk, () => {
      disk.makeRoom();
      return disk;
    });
  });

  test('does not cost a result that nobody has acknowledged: it is delivered once there is room', async () => {
    await begin({ turns: [write, say('Done.')] });
    const hub = new HubDouble(systemClock);
    await hub.listen();
    system.cleanup.add(() => hub.kill());
    const config: ConfigInput = { hub: { url: hub.url, agentId: 'worker-1', token: 'secret' } };
    const disk = await smallDisk(state(), '8m');
    hub.lose.add('task_complete');
    hub.submit('t1', { description: 'Do it', metadata: { agentic: true }, ...task });
    const one = await worker(disk, config);
    await eventually(() => hub.framesOf('task_complete').length > 0, 'the result');
    const asked = system.model.requests.length;

    // What is removed after the disk was filled would be room again.
    const left = (folder: string) => readdirSync(join(disk.path, folder)).length;
    const isGone = () => left('worktrees') === 1 && left('worktrees/.tracking') === 0;
    await eventually(isGone, 'the end of the workspace');
    disk.fill();
    hub.lose.clear();
    hub.dropConnections();
    expect(await one.ended).toEqual({ code: 6, signal: null });
    expect(one.output).toContain('the disk is full; free some space and start again');

    const two = await worker(disk, config);
    expect(await two.ended).toEqual({ code: 6, signal: null });
    expect(two.output).toContain('the disk is full; free some space and start again');
    expect(existsSync(join(disk.path, 'worker.lock'))).toBe(false);

    disk.makeRoom();
    const three = await worker(disk, config);
    await eventually(() => hub.tasks.get('t1')?.status === 'completed', 'the result, acknowledged');
    expect(hub.tasks.get('t1')?.result).toMatchObject({
      status: 'success',
      verification_status: 'verified',
      changes: { files: [{ path: 'done.txt' }] },
    });
    expect(chatsSince(asked)).toBe(0);
    three.child.kill('SIGTERM');
    expect(await three.ended).toEqual({ code: 0, signal: null });
  });

  test('one that may only be read is told at the start', async () => {
    await begin();
    const disk = await smallDisk(state(), '8m');
    disk.makeReadOnly();
    expect(await refused(disk)).toMatch(/w1\S*: it cannot be written; check its permissions.*EROFS/u);
  });

  test('a folder that belongs to somebody else is told at the start', async () => {
    await begin();
    mkdirSync(state(), { mode: 0o500 });
    chmodSync(state(), 0o500);
    // In a user namespace without names nobody has more rights than the folder gives.
    const powerless = { wrapper: ['unshare', '--user', '--'] };
    expect(await refused(powerless)).toMatch(/w1\S*: it cannot be written; check its permissions.*EACCES/u);
    chmodSync(state(), 0o700);
  });
});

/** Questions to the model since there were `count` of them, other than about itself. */
const chatsSince = (count: number): number =>
  system.model.requests.slice(count).filter(({ path }) => path === '/api/chat').length;

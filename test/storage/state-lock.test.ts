import { describe, expect, test } from '@jest/globals';
import { existsSync, readFileSync, readdirSync, utimesSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { beganAt } from '../../sidecar/system/owner-lock.ts';
import { acquireStateLock, unusedMs } from '../../sidecar/storage/state-lock.ts';
import { exitOf, outputOf, startProgram } from '../support/child-program.ts';
import { tempFolders } from '../support/temp-folder.ts';

const locked = expect.objectContaining({ code: 'storage_locked' });
const holder = `
  import { acquireStateLock } from './sidecar/storage/state-lock.ts';
  acquireStateLock(process.argv[2]);
  process.on('SIGTERM', () => process.exit(0));
  console.log('held');
  setInterval(() => {}, 1000);`;

describe('the lock of a state folder', () => {
  const tempFolder = tempFolders();

  test('is taken once, and free again after its release', () => {
    const folder = join(tempFolder(), 'state');
    const lock = acquireStateLock(folder);
    expect(() => acquireStateLock(folder)).toThrow(locked);
    expect(() => acquireStateLock(folder)).toThrow(`process ${process.pid} on`);
    lock.release();
    lock.release();
    acquireStateLock(folder).release();
    expect(readdirSync(folder)).toEqual([]);
  });

  test('tells how long no worker has had the folder: since one lived, was killed, or ended', () => {
    const folder = join(tempFolder(), 'state');
    expect(unusedMs(folder)).toBe(Infinity);
    const lock = acquireStateLock(folder);
    const long = new Date(Date.now() - 3_600_000);
    utimesSync(folder, long, long);
    expect(unusedMs(folder)).toBeLessThan(60_000);
    utimesSync(join(folder, 'worker.lock'), long, long);
    expect(unusedMs(folder)).toBeGreaterThan(3_599_000);
    lock.release();
    expect(unusedMs(folder)).toBeLessThan(60_000);
    writeFileSync(join(folder, 'file'), '');
    expect(unusedMs(join(folder, 'file'))).toBe(0);
  });

  test('a killed worker does not keep it; one that exits removes it', async () => {
    const folder = tempFolder();
    const state = join(folder, 'state');
    const killed = startProgram(holder, folder, [state]);
    const killedExit = exitOf(killed);
    await outputOf(killed, 'held');
    expect(() => acquireStateLock(state)).toThrow(`process ${killed.pid} on`);
    killed.kill('SIGKILL');
    await killedExit;
    expect(existsSync(join(state, 'worker.lock'))).toBe(true);
    acquireStateLock(state).release();

    const polite = startProgram(holder, folder, [state]);
    const politeExit = exitOf(polite);
    await outputOf(polite, 'held');
    polite.kill('SIGTERM');
    await politeExit;
    expect(existsSync(join(state, 'worker.lock'))).toBe(false);
  });

  test('a process id that now belongs to another process does not count', () => {
    const folder = tempFolder();
    const owner = { pid: process.pid, began: 'another boot:1', host: hostname(), token: 'x' };
    writeFileSync(join(folder, 'worker.lock'), JSON.stringify(owner));
    acquireStateLock(folder).release();
    writeFileSync(join(folder, 'worker.lock'), JSON.stringify({ ...owner, began: beganAt(process.pid) }));
    expect(() => acquireStateLock(folder)).toThrow(locked);
  });

  test.each([
    ['an owner on another host', JSON.stringify({ pid: 1, host: 'elsewhere', token: 'x' })],
    ['a file that cannot be read', 'half a fi'],
  ])('%s holds it while the file is being touched', (_what, text) => {
    const folder = tempFolder();
    const path = join(folder, 'worker.lock');
    writeFileSync(path, text);
    expect(() => acquireStateLock(folder)).toThrow(locked);
    const longAgo = new Date(Date.now() - 61_000);
    utimesSync(path, longAgo, longAgo);
    const lock = acquireStateLock(folder);
    expect(readFileSync(path, 'utf8')).toContain(`"pid":${process.pid}`);
    lock.release();
  });

  test('a release leaves a lock alone that somebody else has taken since', () => {
    const folder = tempFolder();
    const lock = acquireStateLock(folder);
    const path = join(folder, 'worker.lock');
    writeFileSync(path, JSON.stringify({ pid: 1, host: 'elsewhere', token: 'other' }));
    lock.release();
    expect(existsSync(path)).toBe(true);
  });
});

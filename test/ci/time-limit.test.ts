import { mkdtemp, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { execa } from 'execa';
import { processesWith } from '../support/worker-process.ts';

const reporter = resolve('test/support/time-limit.js');
const jest = resolve('node_modules/jest/bin/jest.js');
let folder: string;

beforeAll(async () => {
  folder = await realpath(await mkdtemp(join(tmpdir(), 'time-limit-')));
  const config = { rootDir: folder, maxWorkers: 2, reporters: [reporter], transform: {} };
  await writeFile(join(folder, 'jest.config.json'), JSON.stringify(config));
  await writeFile(join(folder, 'quick.test.js'), "test('ends', () => undefined);");
  // One that no limit of Jest's own can end, and a program of its own.
  await writeFile(
    join(folder, 'endless.test.js'),
    `test('hangs', () => {
      require('node:child_process').spawn('sleep', ['1000'], { cwd: '${folder}', argv0: '${folder}/sleep' });
      for (;;);
    });`,
  );
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const run = (minutes: number, ...suites: string[]) =>
  execa(process.execPath, [jest, '--config', join(folder, 'jest.config.json'), '--workers=2', ...suites], {
    cwd: folder,
    reject: false,
    timeout: 60_000,
    env: { TEST_LIMIT_MINUTES: String(minutes), CI: '' },
  });

describe('a run of the tests', () => {
  test('that hangs ends at its limit, names what had not ended, and leaves no process', async () => {
    const { exitCode, stderr } = await run(0.1, 'quick', 'endless');
    expect(exitCode).toBe(1);
    expect(stderr).toMatch(/did not end within 0\.1 minutes .*\n {2}endless\.test\.js, begun \d+ s ago/u);
    expect(stderr).not.toContain('quick.test.js, begun');
    expect(processesWith(folder)).toEqual([]);
  });

  test('that ends in time is left alone', async () => {
    const { exitCode, stderr } = await run(1, 'quick');
    expect([exitCode, stderr]).toEqual([0, '']);
  });
});

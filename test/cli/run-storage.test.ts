/** `run` where its worker cannot write its storage: it ends with the reason and exit code 6, and never waits for ever. */
import { mkdir, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { afterEach, describe, expect, test } from '@jest/globals';
import { execa } from 'execa';
import type { ScenarioInput } from '../../sidecar/scripted-model/scenario.ts';
import { call, say } from '../support/scripted-model.ts';
import { commandLine, type CommandLine } from './command-line.ts';

let cli: CommandLine;
afterEach(() => cli.close());

/** Rounds that put much into the journal. */
const wordy: ScenarioInput = {
  turns: [
    { ...call('shell', { command: 'true', note: 'x'.repeat(90_000) }), repeat: 4 },
    { ...say('fine'), repeat: 'always' },
  ],
};
const LIMIT_MS = 60_000;

/** A command where files may have so many blocks: to the program, a disk that is full. */
async function withBlocks(blocks: number | 'unlimited', args: string[]) {
  const command = [process.execPath, resolve('dist/cli.js'), ...args];
  const limited = ['-c', `ulimit -f ${blocks}; exec "$@"`, 'sh', ...command];
  const { exitCode, stderr } = await execa('sh', limited, {
    env: {
      ...cli.env,
      SIDECAR_WORKER_MIN_FREE_DISK_BYTES: '0',
      SIDECAR_OBSERVABILITY_LOG_LEVEL: 'info',
    },
    extendEnv: false,
    reject: false,
    cwd: cli.dir,
    timeout: LIMIT_MS,
    killSignal: 'SIGKILL',
  });
  return { exitCode, stderr, endedMs: Date.now() };
}

/** When the worker stopped, by its log. */
function stoppedMs(stderr: string): number {
  const line = stderr.split('\n').find((text) => text.includes('"Worker stopped"')) ?? '{}';
  return Date.parse((JSON.parse(line) as { time?: string }).time ?? '');
}

describe('storage that cannot be written ends run with 6 and the path', () => {
  const namesState = () => ({ exitCode: 6, stderr: expect.stringContaining(cli.stateDir) });

  test('where a file stands in the place of the state folder', async () => {
    cli = await commandLine(wordy);
    await writeFile(cli.stateDir, '');
    expect(await withBlocks('unlimited', ['run', 'x'])).toMatchObject(namesState());
  });

  test.each([0, 40])('at the start, where files may have %i blocks', async (blocks) => {
    cli = await commandLine(wordy);
    expect(await withBlocks(blocks, ['run', 'x'])).toMatchObject(namesState());
  });

  test('where its database is damaged', async () => {
    cli = await commandLine(wordy);
    await mkdir(join(cli.stateDir, 'runs/1'), { recursive: true });
    await writeFile(join(cli.stateDir, 'runs/1/state.sqlite'), 'this is no database '.repeat(1000));
    expect(await withBlocks('unlimited', ['run', 'x'])).toMatchObject(namesState());
  });

  test('while the task runs, as soon as its worker has stopped', async () => {
    cli = await commandLine(wordy);
    const ended = await withBlocks(230, ['run', 'x', '--agentic']);
    expect(ended).toMatchObject({ exitCode: 6, stderr: expect.stringContaining('state.sqlite') });
    expect(ended.stderr).toContain('cannot write its storage');
    expect(ended.endedMs - stoppedMs(ended.stderr)).toBeLessThan(20_000);
  });

  test('while a demo runs', async () => {
    cli = await commandLine(wordy);
    const ended = await withBlocks(230, ['demo', '--model', 'm']);
    expect(ended).toMatchObject({
      exitCode: 6,
      stderr: expect.stringContaining('cannot write its storage'),
    });
  });
});

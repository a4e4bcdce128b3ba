/** Processes that the launcher starts: what they write, how they end, and what becomes of them where one side ends. */
import { describe, expect, test } from '@jest/globals';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { launch, type ProcessSpec } from '../../../sidecar/base/system/launcher.ts';
import { runProgram } from '../../../sidecar/base/system/run-program.ts';
import { eventually } from '../../support/eventually.ts';

const env = { PATH: process.env.PATH };
const shell = (script: string, more: Partial<ProcessSpec> = {}): ProcessSpec => ({
  file: 'sh',
  args: ['-c', script],
  cwd: '/',
  env,
  descriptors: ['ignore', 'pipe', 'pipe'],
  ...more,
});
const bounds = { timeoutMs: 60_000, maxOutputBytes: 64 * 1024 * 1024 };
const run = (script: string, more = {}) => runProgram({ ...shell(script), ...bounds, ...more });

/** The letter of a process's state: S sleeps; undefined where there is none. */
function stateOf(pid: number | undefined): string | undefined {
  try {
    return /\) (\w) /.exec(readFileSync(`/proc/${pid}/stat`, 'latin1'))?.[1];
  } catch {
    return undefined;
  }
}
const hasEnded = (pid: number | undefined): boolean => ['Z', 'X', undefined].includes(stateOf(pid));

/** The process that started a process: the launcher. */
const parentOf = (pid: number | undefined): number =>
  Number(/^PPid:\t(\d+)$/m.exec(readFileSync(`/proc/${pid}/status`, 'latin1'))?.[1]);

describe('a program that is run to its end', () => {
  test('gives its outputs, its exit code or its signal', async () => {
    expect(await run('cat; echo err >&2; exit 3', { input: 'in' })).toMatchObject({
      exitCode: 3,
      signal: null,
      earlyEnd: undefined,
      startError: undefined,
      stdout: Buffer.from('in'),
      stderr: Buffer.from('err\n'),
    });
    expect(await run('kill -9 $$')).toMatchObject({ exitCode: null, signal: 'SIGKILL' });
  });

  test('gives all that it wrote, whoever else runs', async () => {
    const sizes = Array.from({ length: 24 }, (_, index) => index * 100_000);
    const ends = await Promise.all(sizes.map((size) => run(`head -c ${size} /dev/zero`)));
    expect(ends.map(({ stdout }) => stdout.length)).toEqual(sizes);
  });

  test('that cannot be started says why', async () => {
    const missing = await runProgram({ ...shell(''), ...bounds, file: '/nonexistent/program' });
    expect(missing.startError).toContain('ENOENT');
    expect((await run('true', { cwd: '/nonexistent' })).startError).toContain('ENOENT');
  });

  test('is ended with all that it started: by its time, by an abort, by too much output, by its reader', async () => {
    const abort = new AbortController();
    const endless = 'sleep 600 & echo $!; wait';
    const byTime = await run(endless, { timeoutMs: 300 });
    expect(byTime).toMatchObject({ earlyEnd: 'timeout', signal: 'SIGTERM' });
    await eventually(() => hasEnded(Number(byTime.stdout.toString())), 'what it started has ended');
    const aborted = run(endless, { signal: abort.signal });
    abort.abort();
    expect(await aborted).toMatchObject({ earlyEnd: 'aborted', signal: 'SIGTERM' });
    expect(await run('yes', { maxOutputBytes: 1000 })).toMatchObject({ earlyEnd: 'output_too_large' });
    const stopped = await run('yes', { onStdout: (_piece: Buffer, stop: () => void) => stop() });
    expect(stopped).toMatchObject({ earlyEnd: 'stopped', stdout: Buffer.alloc(0) });
  });

  test('is ended by force where it takes no signal', async () => {
    expect(await run("trap '' TERM; while :; do sleep 1; done", { timeoutMs: 300 })).toMatchObject({
      earlyEnd: 'timeout',
      signal: 'SIGKILL',
    });
  });

  test('does not wait for who else holds its outputs', async () => {
    const end = await run('setsid sleep 600 & echo $!');
    expect(end).toMatchObject({ exitCode: 0 });
    process.kill(Number(end.stdout.toString()), 'SIGKILL');
  });
});

describe('a process', () => {
  test('is ended by a signal that it was given before it ran', async () => {
    const sleeping = launch(shell('exec sleep 600'));
    expect(sleeping.pid).toBeUndefined();
    sleeping.signal('SIGKILL');
    expect(await sleeping.exited).toEqual({ exitCode: null, signal: 'SIGKILL' });
    sleeping.release();
  });

  test('is spoken to, and hears the end of it', async () => {
    const cat = launch(shell('exec cat', { descriptors: ['pipe', 'pipe', 'pipe'] }));
    cat.stdin?.write('one ');
    expect(String((await once(cat.outputs[1] as NodeJS.EventEmitter, 'data'))[0])).toBe('one ');
    cat.stdin?.end('two');
    expect(String((await once(cat.outputs[1] as NodeJS.EventEmitter, 'data'))[0])).toBe('two');
    expect(await cat.exited).toEqual({ exitCode: 0, signal: null });
    cat.release();
  });

  test('that nobody reads waits, and costs no memory', async () => {
    const yes = launch(shell('exec yes'));
    const held = (): number => yes.outputs[1]?.readableLength ?? 0;
    await eventually(() => held() > 1_000_000, 'more is held than may be');
    // It sleeps in a write, and so nothing more is under way.
    await eventually(() => stateOf(yes.pid) === 'S', 'it waits');
    expect(held()).toBeLessThan(4_000_000);
    yes.signal('SIGKILL');
    yes.release();
  });

  test('goes with its launcher, and the next one gets a new launcher', async () => {
    const sleeping = launch(shell('exec sleep 600'));
    await eventually(() => sleeping.pid !== undefined, 'it runs');
    process.kill(parentOf(sleeping.pid), 'SIGKILL');
    await expect(sleeping.exited).rejects.toThrow('launcher');
    await eventually(() => hasEnded(sleeping.pid), 'it has ended');
    expect(await run('echo again')).toMatchObject({ stdout: Buffer.from('again\n') });
  });

  test('reads files that it is given, from their beginning each time', async () => {
    const given = (): ProcessSpec =>
      shell('cat <&3', { descriptors: ['ignore', 'pipe', 'pipe', '/proc/self/cmdline'] });
    const first = launch(given());
    const text = String((await once(first.outputs[1] as NodeJS.EventEmitter, 'data'))[0]);
    expect(text).toContain('launcher');
    first.release();
  });
});

/** Many commands one after the other, each is whole, and no process is left. */
import { expect, test } from '@jest/globals';
import { setTimeout as delay } from 'node:timers/promises';
import { execa } from 'execa';
import { describeWith } from '../support/requirements.ts';
import { countOf } from '../support/scale.ts';
import { withWorkspace } from '../support/workspace-fixture.ts';

const RUNS = countOf('COMMAND_RUNS', { quick: 48, full: 2_000 });
const CONTENT = 'line of text\n'.repeat(158);
/** The processes around a command may need a moment to end after it. */
const END_MS = 10_000;

async function manyCommands(sandbox: 'off' | 'required'): Promise<void> {
  const before = await children();
  await withWorkspace({ sandbox }, async ({ env, put }) => {
    await put('workspace/file.txt', CONTENT);
    for (let run = 0; run < RUNS; run += 1) {
      const { stdout, exitCode } = await env.execCommand('cat file.txt');
      expect([stdout === CONTENT, exitCode]).toEqual([true, 0]);
    }
  });
  const giveUpMs = performance.now() + END_MS;
  let left = await children();
  while (left.some((pid) => !before.includes(pid)) && performance.now() < giveUpMs) {
    await delay(20);
    left = await children();
  }
  expect(left.filter((pid) => !before.includes(pid))).toEqual([]);
}

/** Living children of this process. */
async function children(): Promise<string[]> {
  const { stdout } = await execa('ps', ['-eo', 'pid=,ppid=,stat=,comm=']);
  return stdout
    .split('\n')
    .map((line) => line.trim().split(/\s+/u))
    .filter(([, parent, state, name]) => parent === String(process.pid) && state !== 'Z' && name !== 'ps')
    .map(([pid = '']) => pid);
}

test('many commands without a sandbox: all whole, nothing left', () => manyCommands('off'), 300_000);

describeWith('bubblewrap', 'in the sandbox', () => {
  test('many commands: all whole, nothing left', () => manyCommands('required'), 300_000);
});

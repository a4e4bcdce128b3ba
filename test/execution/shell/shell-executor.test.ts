/** Tasks that are a command: run in real processes, without a model. */
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ShellExecutor } from '../../../sidecar/execution/shell/shell-executor.ts';
import type { ExecutionEvent } from '../../../sidecar/protocol/events.ts';

let dir: string;
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'shell-task-'));
});
afterEach(() => rm(dir, { recursive: true, force: true }));

async function run(metadata: Record<string, unknown>) {
  const events: ExecutionEvent[] = [];
  const executor = new ShellExecutor({ config: { sandbox: { mode: 'off' } } });
  const task = {
    task_id: 't1',
    description: 'Run it',
    routing_decision: { target_type: 'sidecar' },
    metadata,
  };
  const result = await executor.execute(task, { repo_dir: dir }, (event) => events.push(event));
  return { result, events };
}

describe('a shell task', () => {
  test('runs its command and streams what it prints', async () => {
    const { result, events } = await run({ shell_command: 'echo hello' });
    expect(result).toMatchObject({
      status: 'success',
      output: expect.stringContaining('hello'),
      termination_reason: 'exit_code',
      iterations_used: 1,
      tokens_in: 0,
    });
    expect(events).toContainEqual(expect.objectContaining({ event_type: 'stdout', text: 'hello\n' }));
  });

  test('fails with the exit code when the command fails', async () => {
    const { result } = await run({ shell_command: 'echo no >&2; exit 3' });
    expect(result).toMatchObject({ status: 'failed', termination_reason: 'exit_code' });
    expect(result.error).toContain('exit code 3');
  });

  test('is tried again as often as it says', async () => {
    const { result, events } = await run({ shell_command: 'echo x >> tries; false', retries: 2 });
    expect(result).toMatchObject({ status: 'partial', verification_status: 'failed' });
    expect(await readFile(join(dir, 'tries'), 'utf8')).toBe('x\nx\nx\n');
    expect(events.map(({ text }) => text)).toContain('Command failed, try 3 of 3');
  });

  test('without a command is refused: it is for a model', async () => {
    const { result } = await run({});
    expect(result.error).toContain('unsupported_target_type:ollama');
  });
});

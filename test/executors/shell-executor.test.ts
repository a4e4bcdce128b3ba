/** Tasks that are a command: run in real processes, without a model. */
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ShellExecutor } from '../../sidecar/executors/shell-executor.ts';
import { TaskControl } from '../../sidecar/task/task-control.ts';
import type { ExecutionEvent } from '../../sidecar/protocol/events.ts';
import type { TaskInput } from '../../sidecar/protocol/task.ts';

let dir: string;
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'shell-task-'));
});
afterEach(() => rm(dir, { recursive: true, force: true }));

async function run(
  metadata: Record<string, unknown>,
  more: Partial<TaskInput> = {},
  onEvent: (event: ExecutionEvent, control: TaskControl) => void = () => undefined,
) {
  const events: ExecutionEvent[] = [];
  const control = new TaskControl();
  const executor = new ShellExecutor({ config: { sandbox: { mode: 'off' } } });
  const task = {
    task_id: 't1',
    description: 'Run it',
    routing_decision: { target_type: 'sidecar' },
    metadata,
    ...more,
  };
  const result = await executor.execute(task, { repo_dir: dir, control }, (event) => {
    events.push(event);
    onEvent(event, control);
  });
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

  test('that ends by itself while the worker is told to leave is done all the same', async () => {
    const { result } = await run(
      { shell_command: 'echo begun; sleep 0.2; echo done' },
      {},
      ({ text }, control) => {
        if (text === 'begun\n') control.stopSoon('shutdown');
      },
    );
    expect(result).toMatchObject({ status: 'success', termination_reason: 'exit_code' });
  });

  describe('that is cancelled while its work is checked', () => {
    const slow = [{ type: 'command_succeeds', target: 'sleep 300' }];
    const isChecking = ({ event_type, phase }: ExecutionEvent) =>
      event_type === 'verification' && phase === 'started';

    test('ends at once, as cancelled', async () => {
      const { result } = await run(
        { shell_command: 'echo x > made' },
        { verification_steps: slow },
        (event, control) => isChecking(event) && control.stop('cancelled'),
      );
      expect(result).toMatchObject({ status: 'failed', termination_reason: 'cancelled' });
    });

    test('ends at once also where its time was over before', async () => {
      const { result } = await run(
        { shell_command: 'echo begun; sleep 300' },
        { verification_steps: slow },
        (event, control) => {
          if (event.text === 'begun\n') control.stop('timeout');
          if (isChecking(event)) control.stop('cancelled');
        },
      );
      expect(result).toMatchObject({ status: 'failed', termination_reason: 'cancelled' });
    });
  });
});

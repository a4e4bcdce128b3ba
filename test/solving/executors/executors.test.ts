import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { configSchema } from '../../../sidecar/base/config/schema.ts';
import { ProgressEmitter } from '../../../sidecar/solving/executors/progress-emitter.ts';
import { chooseRoute, type RoutingConfig } from '../../../sidecar/solving/ways/routing.ts';
import { ShellExecutor } from '../../../sidecar/solving/executors/shell-executor.ts';
import { silentLogger } from '../../../sidecar/base/observability/silent-logger.ts';
import type { OnProgress } from '../../../sidecar/base/ports.ts';
import type { ExecutionEvent } from '../../../sidecar/base/protocol/events.ts';
import { taskSchema, type TaskInput } from '../../../sidecar/base/protocol/task.ts';
import { TaskControl } from '../../../sidecar/solving/task/task-control.ts';
import { ManualClock } from '../../support/manual-clock.ts';

const settings = configSchema.parse({
  routing: { agenticTiers: ['standard', 'complex'] },
});
const route = (task: Partial<TaskInput>, config: RoutingConfig = settings) =>
  chooseRoute(taskSchema.parse({ task_id: 't', ...task }), config);

describe('routing a task', () => {
  test.each<[string, Partial<TaskInput>, object]>([
    ['nothing said', {}, { kind: 'simple' }],
    ['a repository', { repo: '/r' }, { kind: 'agentic' }],
    ['checks', { verification_steps: [{ type: 'git_clean' }] }, { kind: 'agentic' }],
    ['file hints', { file_hints: ['a.ts'] }, { kind: 'agentic' }],
    ['tier standard', { complexity: { effective_tier: 'standard' } }, { kind: 'agentic' }],
    ['tier complex', { complexity: { effective_tier: 'complex' } }, { kind: 'agentic' }],
    ['tier unknown', { complexity: { effective_tier: 'unknown' } }, { kind: 'simple' }],
    ['workflow planned', { repo: '/r', workflow: 'planned' }, { kind: 'planned' }],
    ['explicit false wins over a repository', { repo: '/r', agentic: false }, { kind: 'simple' }],
    ['the older spelling', { _agentic: true }, { kind: 'agentic' }],
    ['metadata', { metadata: { agentic: true } }, { kind: 'agentic' }],
    [
      'the routing decision goes before the task',
      { agentic: true, routing_decision: { agentic: false } },
      { kind: 'simple' },
    ],
    [
      'a command with target sidecar',
      { routing_decision: { target_type: 'sidecar' }, metadata: { shell_command: 'make', retries: 2 } },
      { kind: 'shell', command: 'make', retries: 2 },
    ],
    [
      'a command without a target',
      { metadata: { shell_command: 'ls' } },
      { kind: 'shell', command: 'ls', retries: 0 },
    ],
    ['sidecar without a command', { routing_decision: { target_type: 'sidecar' } }, { kind: 'simple' }],
    [
      'claude',
      { routing_decision: { target_type: 'claude' } },
      { kind: 'unsupported', targetType: 'claude' },
    ],
  ])('%s', (_name, task, expected) => {
    expect(route(task)).toEqual(expected);
  });

  test("the local model does another kind of worker's tasks where the operator says so", () => {
    const task = { repo: '/r', routing_decision: { target_type: 'claude' } };
    expect(route(task, { ...settings, hub: { ...settings.hub, takeForeignTargets: true } })).toEqual({
      kind: 'agentic',
    });
  });

  test('the configured rule holds where nothing explicit is said', () => {
    expect(
      route({ repo: '/r' }, { ...settings, routing: { ...settings.routing, agentic: 'never' } }),
    ).toEqual({ kind: 'simple' });
    expect(route({}, { ...settings, routing: { ...settings.routing, agentic: 'always' } })).toEqual({
      kind: 'agentic',
    });
  });
});

function emitter(more: { onProgress?: OnProgress; lastSeq?: number } = {}) {
  const clock = new ManualClock();
  const events: ExecutionEvent[] = [];
  const onProgress: OnProgress = (event) => events.push(event);
  const progress = new ProgressEmitter({ onProgress, clock, logger: silentLogger, ...more });
  return { clock, events, progress };
}
const token = (text: string, tokens = 1): ExecutionEvent => ({
  event_type: 'token',
  text,
  tokens_so_far: tokens,
});

describe('progress', () => {
  test('token text is joined in windows of 100 ms', async () => {
    const { clock, events, progress } = emitter();
    progress.emit(token('Hel', 1));
    progress.emit(token('lo', 2));
    await clock.advance(99);
    expect(events).toEqual([]);
    await clock.advance(1);
    expect(events).toMatchObject([{ text: 'Hello', tokens_so_far: 2, seq: 1 }]);
  });

  test('what two calls of the model write is joined apart, in windows of 500 ms', async () => {
    const { clock, events, progress } = emitter();
    const piece = (id: string, text: string): ExecutionEvent => ({
      ...token(text),
      model_call: { id, kind: 'answer', phase: 'writing' },
    });
    const pieces = [piece('one', 'He'), piece('two', 'Bo'), piece('one', 'llo'), piece('two', 'njour')];
    for (const one of pieces) progress.emit(one);
    await clock.advance(499);
    expect(events).toEqual([]);
    await clock.advance(1);
    expect(events).toMatchObject([
      { text: 'Hello', model_call: { id: 'one' }, seq: 1 },
      { text: 'Bonjour', model_call: { id: 'two' }, seq: 2 },
    ]);
  });

  test('another event goes at once, after the tokens that came before it', () => {
    const { events, progress } = emitter();
    progress.emit(token('a'));
    progress.emit({ event_type: 'status', text: 'b' });
    expect(events.map(({ text, seq }) => [text, seq])).toEqual([
      ['a', 1],
      ['b', 2],
    ]);
  });

  test('a listener that throws does not reach the work', () => {
    const { progress } = emitter({
      onProgress: () => {
        throw new Error('listener');
      },
    });
    expect(() => progress.emit({ event_type: 'status', text: 'x' })).not.toThrow();
  });

  test('a resumed task goes on counting', () => {
    const { events, progress } = emitter({ lastSeq: 7 });
    progress.emit({ event_type: 'status', text: 'x' });
    expect(events[0]?.seq).toBe(8);
  });
});

/** Tasks that are a command: run in real processes, without a model. */
describe('a shell task', () => {
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
    expect(events.map(({ text }) => text)).toContain('Command failed; retry 2 of 2');
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

import { describe, expect, test } from '@jest/globals';
import { configSchema } from '../../sidecar/config/schema.ts';
import { runLimits } from '../../sidecar/task/run-limits.ts';
import { taskSchema, type TaskInput } from '../../sidecar/protocol/task.ts';

const task = (input: Partial<TaskInput> = {}) => taskSchema.parse({ task_id: 't1', generation: 1, ...input });
const config = (limits: object = {}) => configSchema.parse({ limits }).limits;
const limits = (input: Partial<TaskInput>, settings: object = {}, agentic = true) =>
  runLimits(task(input), config(settings), agentic);

describe('the limits of a run', () => {
  test('a task may shorten its time, not lengthen it', () => {
    const settings = { agenticTimeoutMs: 1000, simpleTimeoutMs: 500 };
    expect(limits({ metadata: { timeout_ms: 400 } }, settings).timeoutMs).toBe(400);
    expect(limits({ metadata: { timeout_ms: 4000 } }, settings).timeoutMs).toBe(1000);
    expect(limits({}, settings, false).timeoutMs).toBe(500);
    expect(limits({ metadata: { timeout_ms: 4000 } }, settings, false).timeoutMs).toBe(500);
    for (const wrong of [0, -1, 1.5, '10', null])
      expect(limits({ metadata: { timeout_ms: wrong } }, settings).timeoutMs).toBe(1000);
  });

  test('the time of its tier stands above that of its kind', () => {
    const settings = { agenticTimeoutMs: 1000, timeoutMsByTier: { complex: 9000 } };
    const complexity = { effective_tier: 'complex' };
    expect(limits({ complexity }, settings).timeoutMs).toBe(9000);
    expect(limits({ complexity, metadata: { timeout_ms: 8000 } }, settings).timeoutMs).toBe(8000);
  });

  test('iterations come from the task, then from its tier, then from the settings, and end at a ceiling', () => {
    const settings = { maxIterations: 7, maxIterationsByTier: { trivial: 3 } };
    const trivial = { complexity: { effective_tier: 'trivial' } };
    expect(limits({}, settings).maxIterations).toBe(7);
    expect(limits(trivial, settings).maxIterations).toBe(3);
    expect(limits({ ...trivial, _agentic_max_iterations: 30 }, settings).maxIterations).toBe(30);
    const both = { ...trivial, _agentic_max_iterations: 30, metadata: { max_iterations: 40 } };
    expect(limits(both, settings).maxIterations).toBe(40);
    expect(limits({ metadata: { max_iterations: 5000 } }, settings).maxIterations).toBe(1000);
  });

  test('corrective rounds: the stricter of task and settings, two where the task names none', () => {
    const settings = { maxVerificationRetries: 4 };
    expect(limits({}, settings).maxVerificationRetries).toBe(2);
    expect(limits({ max_verification_retries: 3 }, settings).maxVerificationRetries).toBe(3);
    expect(limits({ max_verification_retries: 9 }, settings).maxVerificationRetries).toBe(4);
    expect(limits({}, { maxVerificationRetries: 1 }).maxVerificationRetries).toBe(1);
  });

  test('a check may take as long as the task says, else as the settings do', () => {
    const settings = { verificationTimeoutMs: 9000 };
    expect(limits({ verification_timeout_ms: 4000 }, settings).verificationTimeoutMs).toBe(4000);
    expect(limits({}, settings).verificationTimeoutMs).toBe(9000);
  });

  test('a task without a repository, or one that says so, changes nothing', () => {
    expect(limits({}).readOnly).toBe(true);
    expect(limits({ repo: '/r' }).readOnly).toBe(false);
    expect(limits({ repo: '/r', metadata: { read_only: true } }).readOnly).toBe(true);
    expect(runLimits(task(), config(), true, true).readOnly).toBe(false);
  });

  test('words decide nothing', () => {
    const asked = { repo: '/r', description: 'How long does it wait? Do not change anything.' };
    expect(limits(asked).readOnly).toBe(false);
  });
});

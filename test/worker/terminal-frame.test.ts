import { describe, expect, test } from '@jest/globals';
import type { TaskResult } from '../../sidecar/protocol/result.ts';
import { failedFrame, terminalFrame } from '../../sidecar/worker/terminal-frame.ts';

const identity = { taskId: 't1', generation: 3 };
const result = {
  status: 'partial',
  termination_reason: 'timeout',
  tokens_in: 700,
  tokens_out: 42,
  verification_history: [],
} as unknown as TaskResult;

describe('what the hub is told at the end of a task', () => {
  test('work that can be used is complete, with the tokens of both directions', () => {
    expect(terminalFrame(identity, result)).toEqual({
      type: 'task_complete',
      task_id: 't1',
      generation: 3,
      result,
      tokens_used: 742,
      verification_report: undefined,
      verification_history: [],
    });
  });

  test('a failure says why, and its result goes along', () => {
    const failed = { ...result, status: 'failed' } as TaskResult;
    const frame = { type: 'task_failed', task_id: 't1', generation: 3, error: 'timeout' };
    expect(terminalFrame(identity, failed)).toEqual({ ...frame, result: failed });
    expect(terminalFrame(identity, { ...failed, error: 'no room' })).toMatchObject({ error: 'no room' });
  });

  test('a long error is cut', () => {
    expect(failedFrame(identity, 'x'.repeat(100_000)).error?.length).toBeLessThan(10_000);
  });
});

import { describe, expect, test } from '@jest/globals';
import { readSubmission } from '../../sidecar/cli/task-options.ts';

describe('the options of a task', () => {
  test('become a submission; attempts are asked for only where they were given', async () => {
    expect(await readSubmission('x', { attempts: 2, ladder: ['a', 'b'] })).toEqual({
      description: 'x',
      metadata: { attempts: 2, models: ['a', 'b'] },
    });
    expect(await readSubmission('x', { mayChangeChecks: ['test/**'] })).toMatchObject({
      may_change_checks: ['test/**'],
    });
    expect(await readSubmission('x', {})).toEqual({ description: 'x', metadata: {} });
  });

  test('globs that took the words of the task for their own are told', async () => {
    const lost = readSubmission(undefined, { mayChangeChecks: ['Fix it'] });
    await expect(lost).rejects.toThrow('write the task before it');
  });
});

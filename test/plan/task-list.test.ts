import { expect, test } from '@jest/globals';
import { MAX_STEPS, taskListSchema } from '../../sidecar/plan/task-list.ts';

const step = { description: 'Read a.txt', critical: true };

test.each<[string, unknown, object[]]>([
  ['a list in its place', { task_list: [{ step: 1, description: ' Read a.txt ' }] }, [step]],
  ['a bare list', [{ description: 'Read a.txt' }], [step]],
  ['steps that are only texts', [' Read a.txt\n'], [step]],
  ['a step that may fail', [{ description: 'Read a.txt', critical: false }], [{ ...step, critical: false }]],
  ['a flag as text', [{ description: 'Read a.txt', critical: 'no' }], [{ ...step, critical: false }]],
  [
    'hints',
    [{ description: 'Read a.txt', tool: ' read_file ', params: { file_path: 'a.txt' } }],
    [{ ...step, tool: 'read_file', params: { file_path: 'a.txt' } }],
  ],
  ['hints that are none', [{ description: 'Read a.txt', tool: ' ', params: [1], critical: 7 }], [step]],
  [
    'hints that are left out',
    [{ description: 'Read a.txt', tool: null, params: null, critical: null }],
    [step],
  ],
  ['a long step', ['x'.repeat(3_000)], [{ description: 'x'.repeat(2_000), critical: true }]],
  [
    'as many steps as there may be',
    Array.from({ length: MAX_STEPS }, () => 'Read a.txt'),
    Array.from({ length: MAX_STEPS }, () => step),
  ],
])('%s is read', (_, written, steps) => {
  expect(taskListSchema.parse(written)).toEqual(steps);
});

test.each<[string, unknown]>([
  ['no steps', { task_list: [] }],
  ['too many steps', Array.from({ length: MAX_STEPS + 1 }, () => 'Read a.txt')],
  ['an empty step', ['  ']],
  ['a step without a description', [{ step: 1 }]],
  ['prose', 'First I read a.txt'],
  ['nothing', undefined],
])('%s is refused', (_, written) => {
  expect(taskListSchema.safeParse(written).success).toBe(false);
});

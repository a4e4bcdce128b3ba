import { describe, expect, test } from '@jest/globals';
import { routeTask, type RoutingRules } from '../../sidecar/executors/routing.ts';
import { taskSchema, type TaskInput } from '../../sidecar/protocol/task.ts';

const rules: RoutingRules = {
  agentic: 'auto',
  agenticTiers: ['standard', 'complex'],
  plannedTiers: ['complex'],
};
const route = (task: Partial<TaskInput>, r = rules) =>
  routeTask(taskSchema.parse({ task_id: 't', ...task }), r);

describe('routing a task', () => {
  test.each<[string, Partial<TaskInput>, object]>([
    ['nothing said', {}, { kind: 'simple' }],
    ['a repository', { repo: '/r' }, { kind: 'agentic' }],
    ['checks', { verification_steps: [{ type: 'git_clean' }] }, { kind: 'agentic' }],
    ['file hints', { file_hints: ['a.ts'] }, { kind: 'agentic' }],
    ['tier standard', { complexity: { effective_tier: 'standard' } }, { kind: 'agentic' }],
    ['tier complex', { complexity: { effective_tier: 'complex' } }, { kind: 'planned' }],
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
    expect(route(task, { ...rules, takeForeignTargets: true })).toEqual({ kind: 'agentic' });
  });

  test('the configured rule holds where nothing explicit is said', () => {
    expect(route({ repo: '/r' }, { ...rules, agentic: 'never' })).toEqual({ kind: 'simple' });
    expect(route({}, { ...rules, agentic: 'always' })).toEqual({ kind: 'agentic' });
  });
});

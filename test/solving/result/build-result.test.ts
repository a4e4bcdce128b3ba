import { describe, expect, test } from '@jest/globals';
import { taskResultSchema } from '../../../sidecar/base/protocol/result.ts';
import type {
  Changes,
  CheckResult,
  TerminationReason,
  VerificationReport,
} from '../../../sidecar/base/protocol/result.ts';
import { taskContentSchema, taskSchema } from '../../../sidecar/base/protocol/task.ts';
import type { TaskInput } from '../../../sidecar/base/protocol/task.ts';
import { buildResult } from '../../../sidecar/solving/result/build-result.ts';
import type { ChecksProof, PlanItem, ResultInput } from '../../../sidecar/solving/result/build-result.ts';

const unchanged: Changes = { base_commit: 'b'.repeat(40), files: [], patch: '' };
const changed: Changes = {
  base_commit: 'b'.repeat(40),
  head_commit: 'c'.repeat(40),
  branch: 'sidecar/t',
  files: [{ path: 'a.ts', status: 'modified', additions: 1, deletions: 0 }],
  patch: 'diff --git …',
};

function report(...statuses: CheckResult['status'][]): VerificationReport {
  const checks: CheckResult[] = statuses.map((status, index) => ({
    type: 'command_succeeds',
    target: `check-${index}`,
    description: '',
    status,
    output: status === 'pass' ? '' : `\n  went wrong ${index}\nmore`,
    duration_ms: 1,
  }));
  const summary = { total: checks.length, passed: 0, failed: 0, errors: 0, timed_out: 0 };
  return {
    task_id: 't',
    run_number: 1,
    status: 'fail',
    started_at: '2026-01-01T00:00:00.000Z',
    duration_ms: 1,
    timeout_ms: 1000,
    checks,
    summary,
  };
}

interface Case {
  termination?: TerminationReason;
  reports?: VerificationReport[];
  changes?: Changes;
  output?: string;
  planItems?: PlanItem[];
  task?: Partial<TaskInput>;
  fetchableCommit?: string;
  detail?: string;
  proof?: ChecksProof;
}

function input({
  termination = 'final_answer',
  reports = [],
  changes = unchanged,
  output = 'answer',
  ...more
}: Case): ResultInput {
  return {
    task: taskSchema.parse({ task_id: 't', description: 'Do it', repo: '/repo', ...more.task }),
    run: {
      termination,
      output,
      iterations: 3,
      tokensIn: 10,
      tokensOut: 5,
      costUsd: 0.1,
      modelUsed: 'm',
      executionMs: 12.4,
      ...(more.detail === undefined ? {} : { detail: more.detail }),
    },
    reports,
    changes,
    ...(more.planItems ? { planItems: more.planItems } : {}),
    ...(more.fetchableCommit === undefined ? {} : { fetchableCommit: more.fetchableCommit }),
    ...(more.proof ? { proof: more.proof } : {}),
  };
}

function verdictOf(given: Case): string {
  const result = buildResult(input(given));
  expect(taskResultSchema.parse(result)).toBeTruthy();
  expect(result.follow_up !== undefined).toBe(result.status === 'partial');
  expect(result.error !== undefined).toBe(result.status === 'failed');
  return `${result.status}, ${result.verification_status}`;
}

const doubted: ChecksProof = { doubts: ['the check passes without the change'], notes: [] };
const open = [{ description: 'step 2', done: false }];
const done = [{ description: 'step 1', done: true }];
const forced: TerminationReason[] = [
  'max_iterations',
  'repetition',
  'stall',
  'nudge_exhausted',
  'malformed_output',
  'timeout',
  'budget_exhausted',
  'context_exhausted',
  'model_error',
  'shutdown',
];

/** Rows of docs/dev/protocol.md, Results: what is given, the model finished, forced stop. */
const table: [string, Case, string, string][] = [
  [
    'all pass, nothing remaining',
    { reports: [report('pass', 'pass')], changes: changed },
    'success, verified',
    'success, verified',
  ],
  ['all pass without any change', { reports: [report('pass')] }, 'success, verified', 'success, verified'],
  [
    'all pass, all steps done',
    { reports: [report('pass')], planItems: done },
    'success, verified',
    'success, verified',
  ],
  ['some pass', { reports: [report('pass', 'fail')] }, 'partial, partial_pass', 'partial, partial_pass'],
  [
    'some pass, the others timed out',
    { reports: [report('pass', 'timeout')] },
    'partial, partial_pass',
    'partial, partial_pass',
  ],
  [
    'some pass, the others could not be run',
    { reports: [report('pass', 'error')] },
    'partial, partial_pass',
    'partial, partial_pass',
  ],
  [
    'all pass, tracked steps remain',
    { reports: [report('pass')], planItems: [...done, ...open] },
    'partial, partial_pass',
    'partial, partial_pass',
  ],
  [
    'none pass, files changed',
    { reports: [report('fail', 'timeout')], changes: changed },
    'partial, failed',
    'partial, failed',
  ],
  ['none pass, nothing changed', { reports: [report('fail')] }, 'failed, failed', 'failed, failed'],
  [
    'the checks could not be run, files changed',
    { reports: [report('error')], changes: changed },
    'partial, execution_failed',
    'partial, execution_failed',
  ],
  [
    'the checks could not be run, nothing changed',
    { reports: [report('error', 'error')] },
    'failed, execution_failed',
    'failed, execution_failed',
  ],
  ['no checks, an answer', {}, 'success, unverified', 'partial, unverified'],
  [
    'no checks, no answer but changes',
    { output: ' ', changes: changed },
    'success, unverified',
    'partial, unverified',
  ],
  ['no checks, neither', { output: ' \n' }, 'failed, unverified', 'failed, unverified'],
  ['no checks, tracked steps remain', { planItems: open }, 'partial, partial_pass', 'partial, partial_pass'],
  [
    'one passes, the next was skipped',
    { reports: [report('pass', 'skip')], changes: changed },
    'partial, partial_pass',
    'partial, partial_pass',
  ],
  [
    'one passes, nothing was begun after it',
    { reports: [report('pass', 'timeout', 'skip')] },
    'partial, partial_pass',
    'partial, partial_pass',
  ],
  [
    'none passes, some were skipped',
    { reports: [report('fail', 'skip')], changes: changed },
    'partial, failed',
    'partial, failed',
  ],
  [
    'all checks skipped, an answer',
    { reports: [report('skip')] },
    'partial, unverified',
    'partial, unverified',
  ],
  [
    'the task has checks, none was run',
    { task: { verification_steps: [{ type: 'command_succeeds', target: 'make' }] }, changes: changed },
    'partial, unverified',
    'partial, unverified',
  ],
  [
    'an empty report (auto_pass), an answer',
    { reports: [report()] },
    'success, unverified',
    'partial, unverified',
  ],
  [
    'all pass but prove nothing, files changed',
    { reports: [report('pass')], proof: doubted, changes: changed },
    'partial, partial_pass',
    'partial, partial_pass',
  ],
  [
    'all pass but prove nothing, nothing changed',
    { reports: [report('pass')], proof: doubted },
    'success, unverified',
    'partial, unverified',
  ],
  [
    'all pass but prove nothing, tracked steps remain',
    { reports: [report('pass')], proof: doubted, planItems: open },
    'partial, unverified',
    'partial, unverified',
  ],
  [
    'all pass and prove it',
    { reports: [report('pass')], proof: { doubts: [], notes: ['a note'] } },
    'success, verified',
    'success, verified',
  ],
  [
    'no checks, doubts, files changed',
    { proof: doubted, changes: changed },
    'partial, unverified',
    'partial, unverified',
  ],
  ['no checks, doubts, nothing changed', { proof: doubted }, 'success, unverified', 'partial, unverified'],
  [
    'some could not be run, the others fail',
    { reports: [report('error', 'fail')], changes: changed },
    'partial, failed',
    'partial, failed',
  ],
  [
    'only the last report counts',
    { reports: [report('fail'), report('pass')] },
    'success, verified',
    'success, verified',
  ],
];

describe('the table of results', () => {
  test.each(table)('%s', (_name, given, finished, stopped) => {
    expect(verdictOf(given)).toBe(finished);
    for (const termination of forced) {
      expect(verdictOf({ ...given, termination })).toBe(stopped);
      expect(buildResult(input({ ...given, termination })).termination_reason).toBe(termination);
    }
  });

  test('a command that exited has finished as an answer has', () => {
    expect(verdictOf({ termination: 'exit_code' })).toBe('success, unverified');
  });

  test('a cancelled task is never a success', () => {
    expect(verdictOf({ termination: 'cancelled', reports: [report('pass')], changes: changed })).toBe(
      'failed, unverified',
    );
  });
});

describe('what a result tells', () => {
  test('no more than there is', () => {
    const result = buildResult(input({ detail: 'answered' }));
    expect(result).toEqual({
      status: 'success',
      verification_status: 'unverified',
      output: 'answer',
      model_used: 'm',
      tokens_in: 10,
      tokens_out: 5,
      estimated_cost_usd: 0.1,
      execution_ms: 12,
      termination_reason: 'final_answer',
      iterations_used: 3,
      verification_attempts: 0,
      changes: unchanged,
      completed: [],
      remaining: [],
    });
  });

  test('all that is known', () => {
    const given = input({ reports: [report('pass')], termination: 'stall', detail: 'x'.repeat(3_000) });
    const modelUse = { calls: 1 } as unknown as NonNullable<typeof given.run.modelUse>;
    const result = buildResult({
      ...given,
      run: { ...given.run, modelUse, tokensIn: 10.4, tokensOut: 5.6 },
      plan: '# Plan: x',
      unconfinedReason: 'bubblewrap is not installed',
      proof: { doubts: [], notes: ['a note', 'y'.repeat(400)], base: report('fail') },
    });
    expect(result).toMatchObject({
      termination_detail: `${'x'.repeat(1_999)}…`,
      tokens_in: 10,
      tokens_out: 6,
      model_use: modelUse,
      verification_report: report('pass'),
      verification_notes: ['a note', `${'y'.repeat(299)}…`],
      check_changes: { fixed: ['check-0'] },
      plan: '# Plan: x',
      unconfined: 'bubblewrap is not installed',
    });
    // The last report says it all.
    expect(result).not.toHaveProperty('verification_history');
  });

  test('doubts as work that remains, but not as work for the next task', () => {
    const result = buildResult(input({ reports: [report('pass')], changes: changed, proof: doubted }));
    expect(result).toMatchObject({ remaining: doubted.doubts, verification_notes: doubted.doubts });
    expect(result.follow_up?.description).toContain('What remains:\n- Finish the task and check that');
    const whole = buildResult(input({ reports: [report('pass')], proof: doubted }));
    expect(whole).toMatchObject({ remaining: [], verification_notes: doubted.doubts });
    expect(whole).not.toHaveProperty('check_changes');
  });

  test('a failed command is named once', () => {
    const failed = report('fail');
    for (const check of failed.checks) check.output = `\`${check.target}\` exited with code 1 after 0.1 s\n`;
    expect(buildResult(input({ reports: [failed] })).remaining).toEqual([
      'check-0: exited with code 1 after 0.1 s',
    ]);
    for (const check of failed.checks) check.description = 'the tests pass';
    expect(buildResult(input({ reports: [failed] })).remaining).toEqual([
      'the tests pass: `check-0` exited with code 1 after 0.1 s',
    ]);
  });

  test('what is done and what remains, with the first line of a failed check', () => {
    const result = buildResult(
      input({ reports: [report('fail'), report('pass', 'fail', 'timeout')], planItems: [...done, ...open] }),
    );
    expect(result.completed).toEqual(['check-0', 'step 1']);
    expect(result.remaining).toEqual(['check-1: went wrong 1', 'check-2: went wrong 2', 'step 2']);
    expect(result.verification_attempts).toBe(2);
    expect(result.verification_history).toHaveLength(2);
    expect(result.execution_ms).toBe(12);
  });

  test('a failure says how it ended', () => {
    const error = (given: Case): string | undefined => buildResult(input(given)).error;
    expect(error({ termination: 'model_error', output: '', detail: 'Ollama does not answer' })).toBe(
      'model_error after 3 iterations: Ollama does not answer',
    );
    expect(error({ termination: 'model_error', output: '', detail: 'x'.repeat(3_000) })).toHaveLength(2_000);
    const one = input({ output: '' });
    expect(buildResult({ ...one, run: { ...one.run, iterations: 1 } }).error).toMatch(/ after 1 iteration: /);
    expect(error({ output: '' })).toBe(
      'final_answer after 3 iterations: the model gave no answer and changed nothing',
    );
    expect(error({ reports: [report('fail')] })).toBe(
      'final_answer after 3 iterations: no check passed (check-0: went wrong 0)',
    );
  });
});

describe('the follow-up of a partial result', () => {
  const partial: Case = {
    termination: 'max_iterations',
    reports: [report('pass', 'fail')],
    changes: changed,
    task: {
      branch: 'main',
      verification_steps: [{ type: 'test_passes', target: 'auto' }],
      success_criteria: ['It works'],
      metadata: { team: 'blue' },
    },
  };

  test('is a task to submit as it is', () => {
    const { follow_up: followUp } = buildResult(input(partial));
    expect(taskContentSchema.parse(followUp)).toMatchObject({
      repo: '/repo',
      branch: 'sidecar/t',
      base_ref: 'b'.repeat(40),
      verification_steps: [{ type: 'test_passes', target: 'auto' }],
      success_criteria: ['It works'],
      metadata: {
        team: 'blue',
        follow_up_of: 't',
        follow_up_depth: 1,
        follow_up_goal: 'Do it',
        follow_up_from: 'b'.repeat(40),
        follow_up_patch: 'diff --git …',
      },
    });
    expect(followUp?.description).toContain('The task:\nDo it');
    expect(followUp?.description).toContain('What remains:\n- check-1: went wrong 1');
    expect(followUp?.description).toContain('The task is complete when:\n- It works');
  });

  test('names the commit instead of carrying the patch where others can fetch it', () => {
    const { follow_up: followUp } = buildResult(input({ ...partial, fetchableCommit: 'c'.repeat(40) }));
    expect(followUp?.base_ref).toBe('c'.repeat(40));
    expect(followUp?.metadata).not.toHaveProperty('follow_up_patch');
    expect(followUp?.metadata.follow_up_base).toBe('b'.repeat(40));
  });

  test('names the earlier work in the fields that the public hub keeps as well', () => {
    const { branch, metadata } = buildResult(
      input({ ...partial, fetchableCommit: 'c'.repeat(40) }),
    ).follow_up!;
    expect({ branch, base: metadata.follow_up_from }).toEqual({ branch: 'sidecar/t', base: 'c'.repeat(40) });
  });

  test('names the commit of this worker when the patch was too large to carry', () => {
    const changes = { ...changed, patch: '', patch_omitted: 'the patch is larger than 393216 bytes' };
    const { follow_up: followUp } = buildResult(input({ ...partial, changes }));
    expect(followUp?.base_ref).toBe('c'.repeat(40));
    expect(followUp?.description).toContain('only on the worker that made it (the patch is larger than');
    expect(followUp?.metadata.follow_up_needs).toContain('workspace.push');
  });

  test('says what was not accepted', () => {
    const proof = { doubts: ['Fewer tests ran.'], notes: [] };
    const followUp = followUpOf({ reports: [report('pass')], proof });
    expect(followUp.metadata.follow_up_not_accepted).toEqual(['Fewer tests ran.']);
    expect(followUp.description).toContain('Why the result was not accepted:\n- Fewer tests ran.');
  });

  test('is not made where the work changed its checks without permission', () => {
    const proof = { doubts: ['the task changed a'], notes: [], needsPermission: true };
    const result = buildResult(input({ ...partial, reports: [report('pass')], proof }));
    expect(result).toMatchObject({ status: 'partial', verification_status: 'partial_pass' });
    expect(result).not.toHaveProperty('follow_up');
  });

  test('of a follow-up counts on and keeps the goal', () => {
    const first = buildResult(input(partial)).follow_up!;
    const second = buildResult(input({ ...partial, task: { ...first, task_id: 't2' } })).follow_up!;
    const third = buildResult(input({ ...partial, task: { ...second, task_id: 't3' } })).follow_up!;
    expect(third.metadata).toMatchObject({
      team: 'blue',
      follow_up_of: 't3',
      follow_up_depth: 3,
      follow_up_goal: 'Do it',
    });
    expect(third.description.match(/The task:/g)).toHaveLength(1);
  });

  const followUpOf = (given: Case) => buildResult(input({ ...partial, ...given })).follow_up!;

  test('says all that the next one has to know, and no more', () => {
    const files = [...changed.files, { path: 'b.ts', status: 'added' as const, additions: 1, deletions: 0 }];
    const task = { success_criteria: ['It works', { description: 'It is fast' }] };
    expect(followUpOf({ task, changes: { ...changed, files } }).description).toBe(`\
Continue a task that was left unfinished (the iteration limit was reached; 3 iterations).

The task:
Do it

What remains:
- check-1: went wrong 1

Already done; must keep working:
- check-0

Files changed so far:
- a.ts (modified)
- b.ts (added)

The task is complete when:
- It works
- It is fast`);
    const bare: Case = { task: {}, changes: unchanged, reports: [], detail: 'x'.repeat(400) };
    expect(followUpOf(bare).description).toBe(`\
Continue a task that was left unfinished (the iteration limit was reached; 3 iterations: ${'x'.repeat(299)}…).

The task:
Do it

What remains:
- Finish the task and check that it is complete.`);
  });

  test.each<[string, Partial<TaskInput>]>([
    ['nothing', {}],
    ['hints', { file_hints: [{ path: 'a.ts' }] }],
    ['criteria', { success_criteria: ['It works'] }],
    ['checks', { verification_steps: [{ type: 'git_clean', target: '' }] }],
    ['the executor', { agentic: false }],
    ['the workflow', { workflow: 'planned' }],
    ['that nothing is checked', { skip_verification: true }],
    ['the budget', { budget: { max_tokens: 5 } }],
    ['what of its checks it may change', { may_change_checks: ['test/**'] }],
    ['the corrective rounds', { max_verification_retries: 0 }],
    ['the time for checks', { verification_timeout_ms: 1_000 }],
  ])('carries from the task: %s', (_, task) => {
    const { description: _text, metadata: _own, branch: _earlier, ...carried } = followUpOf({ task });
    expect(carried).toEqual({ repo: '/repo', base_ref: 'b'.repeat(40), ...task });
  });

  test('carries the complexity, in the field that the public hub reads as well', () => {
    const { complexity, complexity_tier: tier } = followUpOf({
      task: { complexity: { effective_tier: 'low' } },
    });
    expect({ complexity, tier }).toEqual({ complexity: { effective_tier: 'low' }, tier: 'low' });
  });

  test('keeps the branch of a task that changed nothing', () => {
    const changes = { ...changed, files: [], patch: '' };
    expect(followUpOf({ changes, task: { branch: 'main' } }).branch).toBe('main');
  });

  test.each<[string, Partial<Changes>, string | undefined, string | undefined]>([
    ['nothing was changed', { files: [], patch: '' }, 'b'.repeat(40), undefined],
    ['nothing was changed and no commit is known', { files: [], base_commit: undefined }, 'v1', undefined],
    ['a patch is at hand', {}, 'b'.repeat(40), undefined],
    [
      'only the commit is known',
      { patch: '' },
      'c'.repeat(40),
      `The changes of the previous task are in commit ${'c'.repeat(40)}, which exists only on the worker that made it.`,
    ],
    [
      'the work is lost',
      { patch: '', head_commit: undefined, patch_omitted: 'disk full' },
      'b'.repeat(40),
      'The changes of the previous task could not be included (disk full).',
    ],
  ])('begins where it can: %s', (_, changes, baseRef, note) => {
    const followUp = followUpOf({ changes: { ...changed, ...changes }, task: { base_ref: 'v1' } });
    expect(followUp.base_ref).toBe(baseRef);
    expect(followUp.description.match(/The changes of the previous task.*$/m)?.[0]).toBe(note);
    const patch = changes.files || changes.patch === '' ? undefined : 'diff --git …';
    expect(followUp.metadata.follow_up_patch).toBe(patch);
  });

  test('of a task without a place has none either', () => {
    const given = input({ ...partial, changes: { files: [], patch: '' } });
    const task = { ...given.task, repo: undefined, branch: undefined };
    const followUp = buildResult({ ...given, task }).follow_up!;
    const { repo, branch, base_ref } = followUp;
    expect({ repo, branch, base_ref }).toEqual({});
  });

  test.each([
    [2, 3],
    [-1, 1],
    [1.5, 1],
    ['2', 1],
  ])('of one of depth %j has depth %j', (depth, next) => {
    const metadata = { follow_up_depth: depth, follow_up_patch: 'old', is_follow_up_: true };
    expect(followUpOf({ task: { metadata }, fetchableCommit: 'c'.repeat(40) }).metadata).toEqual({
      is_follow_up_: true,
      follow_up_of: 't',
      follow_up_depth: next,
      follow_up_goal: 'Do it',
      follow_up_from: 'c'.repeat(40),
      follow_up_base: 'b'.repeat(40),
    });
  });

  test('lists what has room, and counts the rest', () => {
    const long = (count: number, chars: number) => Array.from({ length: count }, () => 'x'.repeat(chars));
    const listed = (lines: string[]) =>
      followUpOf({ task: { success_criteria: lines } }).description.split('The task is complete when:\n')[1];
    expect(listed(long(3, 700))).toBe(
      [...long(2, 700).map((line) => `- ${line}`), '- … and 1 more'].join('\n'),
    );
    expect(listed(long(3, 500))).toBe(
      long(3, 500)
        .map((line) => `- ${line}`)
        .join('\n'),
    );
    expect(listed(long(2, 2_000))).toBe(`- ${'x'.repeat(1_499)}…\n- … and 1 more`);
  });

  test('stays within what the public hub accepts', () => {
    const many = report(...Array.from({ length: 200 }, () => 'fail' as const), 'pass');
    for (const check of many.checks) check.output = 'x'.repeat(5000);
    const { follow_up: followUp } = buildResult(
      input({ ...partial, reports: [many], task: { description: '😀'.repeat(20_000) } }),
    );
    expect(followUp!.description.length).toBeLessThanOrEqual(10_000);
    expect(followUp!.description).not.toMatch(/[\uD800-\uDBFF](?![\uDC00-\uDFFF])/);
  });
});

test('a task that a budget cut short says which: scope, limit and what was used of it', () => {
  const detail =
    'hour budget of 5000 tokens is exhausted (4012 used); available again at 2026-01-01T00:00:00.000Z';
  const cut: Case = { termination: 'budget_exhausted', detail, changes: changed };
  const partial = buildResult(input({ ...cut, reports: [report('pass', 'fail')] }));
  expect(partial).toMatchObject({ status: 'partial', termination_detail: detail });
  expect(partial.remaining).toEqual(['check-1: went wrong 1', `budget: ${detail}`]);
  expect(partial.follow_up?.description).toContain(`(the budget was exhausted; 3 iterations: ${detail})`);
  expect(partial.follow_up?.description).not.toContain('- budget:');
  const unchecked = buildResult(input(cut));
  expect(unchecked).toMatchObject({ status: 'partial', remaining: [`budget: ${detail}`] });
  const whole = buildResult(input({ ...cut, reports: [report('pass')] }));
  expect(whole).toMatchObject({ status: 'success', termination_detail: detail, remaining: [] });
});

describe('what remains', () => {
  const withEssence = (essence: CheckResult['essence']): string[] => {
    const failed = report('pass', 'fail');
    for (const check of failed.checks.slice(1)) check.essence = essence;
    return buildResult(input({ reports: [failed], changes: changed })).remaining;
  };

  test('names the failing tests, or the error that kept them from running', () => {
    const none = { runner: 'pytest', failed: [], errors: [], text: '' };
    expect(withEssence({ ...none, failed: ['a.py::b', 'a.py::c'] })).toEqual([
      'check-1: 2 failing: a.py::b; a.py::c',
    ]);
    expect(withEssence({ ...none, failed: ['a.py'], errors: ["SyntaxError: expected ':'\nmore"] })).toEqual([
      "check-1: SyntaxError: expected ':'",
    ]);
    expect(withEssence({ ...none, runner: 'other', errors: ['a line'] })).toEqual(['check-1: went wrong 1']);
  });
});

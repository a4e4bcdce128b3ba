import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { join } from 'node:path';
import { listSessions } from '../../sidecar/solving/session/session-store.ts';
import { eventually } from '../support/eventually.ts';
import { git } from '../workspace/repositories.ts';
import { sampleRepository } from '../support/sample-repository.ts';
import { call, say, verbatim } from '../support/scripted-model.ts';
import { startSystem, type TestSystem } from '../support/sidecar.ts';
import type { ConfigInput } from '../../sidecar/base/config/schema.ts';
import type { ScenarioInput } from '../../sidecar/model/scripted/scenario.ts';
import type { Worker } from '../../sidecar/worker/start-worker.ts';
import { slowness } from '../support/pace.ts';

type Script = NonNullable<ScenarioInput['scripts']>[number];

/** Each way to stop short, after a first round that did half of the work. `reason` is what the result must say. */
const half = call('write_file', { file_path: 'half.txt', content: 'half\n' });
const look = call('glob', { pattern: '*' });
const shell = (n: number) => call('shell', { command: `echo ${n}` });
const both = verbatim('{"tool_calls": [{"name": "glob", "parameters": {"pattern": "*"}}], "response": "x"}');

interface Way {
  turns: Script['turns'];
  task?: Record<string, unknown>;
  iterations: number;
  output?: string;
}

const WAYS: Record<string, Way> = {
  final_answer: { turns: [half, say('Half of it is done.')], iterations: 2, output: 'Half of it is done.' },
  max_iterations: {
    turns: [half, shell(1), shell(2)],
    task: { metadata: { max_iterations: 2 } },
    iterations: 2,
  },
  repetition: { turns: [half, { ...look, repeat: 3 }], iterations: 4 },
  // Commands that print nothing show nothing new.
  stall: {
    turns: [half, ...[1, 2, 3, 4, 5, 6, 7, 8].map((n) => call('shell', { command: `true ${n}` }))],
    iterations: 9,
  },
  nudge_exhausted: { turns: [half, { ...say(''), repeat: 3 }], iterations: 4 },
  // Two in native mode switch to structured mode, where two more end it.
  malformed_output: { turns: [half, { ...both, repeat: 4 }], iterations: 5 },
  timeout: {
    turns: [half, { ...say('late'), faults: [{ kind: 'silent', times: 'always' }] }],
    task: { metadata: { timeout_ms: 1_500 } },
    iterations: 1,
  },
  budget_exhausted: {
    turns: [{ ...half, tokensIn: 4000 }, shell(1)],
    task: { budget: { max_tokens: 5000 } },
    iterations: 1,
  },
  // The server counts more than the window holds, and nothing is left to be shortened.
  context_exhausted: { turns: [half, { ...say('too long'), tokensIn: 90_000 }], iterations: 1 },
  model_error: {
    turns: [half, { ...say('x'), faults: [{ kind: 'status', status: 400, body: 'no', times: 'always' }] }],
    iterations: 1,
  },
};

const scenario: ScenarioInput = {
  scripts: Object.entries({
    ...WAYS,
    held: {
      turns: [half, { ...say('never'), faults: [{ kind: 'silent' as const, times: 'always' as const }] }],
    },
  }).map(([name, { turns }]) => ({ name, when: { firstUser: `Way ${name}.` }, turns })),
};

let system: TestSystem;
let repo: string;
let worker: Worker;
beforeEach(async () => {
  system = await startSystem(scenario);
  repo = await sampleRepository(system.dir);
});
afterEach(() => system.cleanup.close());

const CHECKS = [
  { type: 'file_exists', target: 'half.txt' },
  { type: 'file_exists', target: 'whole.txt' },
];
const taskOf = (name: string, more: Record<string, unknown> = {}) => ({
  description: `Way ${name}.`,
  repo,
  verification_steps: CHECKS,
  max_verification_retries: 0,
  ...more,
});
const start = async (config: ConfigInput = {}) => {
  worker = await system.worker('w1', { worker: { concurrency: 3, queueSize: 20 }, ...config });
};

/** The whole result as the hub stored it, for work of which one of two checks passes. */
function partialResult(name: string, { iterations, output }: Pick<Way, 'iterations' | 'output'>) {
  const number = expect.any(Number);
  const commit = expect.stringMatching(/^[0-9a-f]{40}$/u);
  const checks = [
    { status: 'pass', target: 'half.txt' },
    { status: 'fail', target: 'whole.txt' },
  ].map((check) => ({
    type: 'file_exists',
    description: '',
    output: expect.any(String),
    duration_ms: number,
    ...check,
  }));
  return {
    status: 'partial',
    verification_status: 'partial_pass',
    output: output ?? expect.any(String),
    model_used: 'm',
    tokens_in: number,
    tokens_out: number,
    estimated_cost_usd: 0,
    execution_ms: number,
    termination_reason: name,
    ...(name === 'final_answer' ? {} : { termination_detail: expect.any(String) }),
    iterations_used: iterations,
    model_use: {
      tokens_read: number,
      waiting_ms: number,
      loading_ms: number,
      reading_ms: number,
      writing_ms: number,
    },
    unconfined: 'the sandbox is switched off',
    verification_attempts: 1,
    changes: {
      base_commit: commit,
      head_commit: commit,
      branch: expect.stringMatching(/^sidecar\//u),
      files: [{ path: 'half.txt', status: 'added', additions: 1, deletions: 0 }],
      patch: expect.stringContaining('+half'),
    },
    completed: ['file_exists half.txt'],
    remaining: [
      expect.stringMatching(/^file_exists whole\.txt: /u),
      ...(name === 'budget_exhausted'
        ? [expect.stringMatching(/^budget: task budget of 5000 tokens is exhausted \(\d+ used\)$/u)]
        : []),
    ],
    verification_report: {
      task_id: expect.any(String),
      run_number: 1,
      status: 'fail',
      started_at: expect.any(String),
      duration_ms: number,
      timeout_ms: 120_000,
      checks,
      summary: { total: 2, passed: 1, failed: 1, errors: 0, timed_out: 0 },
    },
    follow_up: expect.objectContaining({
      description: expect.stringContaining('whole.txt'),
      repo,
      base_ref: commit,
      verification_steps: CHECKS,
      metadata: expect.objectContaining({ follow_up_depth: 1 }),
    }),
  };
}

const endOf = (name: string, more?: Record<string, unknown>) => system.finish(taskOf(name, more));

describe('every ending keeps what was done, checked and with what remains', () => {
  test('endings that the task brings about itself', async () => {
    await start();
    const ended = await Promise.all(
      Object.entries(WAYS).map(async ([name, way]) => ({ name, way, task: await endOf(name, way.task) })),
    );
    for (const { name, way, task } of ended) {
      expect([name, task.status]).toEqual([name, 'partial']);
      expect(task.result).toEqual(partialResult(name, way));
      expect(task).toMatchObject({
        termination_reason: name,
        verification_status: 'partial_pass',
        model: 'm',
      });
    }
  });

  test('nothing done: the failure says the ending, the iterations and why', async () => {
    await start();
    const nothing = { verification_steps: [{ type: 'file_exists', target: 'whole.txt' }] };
    const task = await endOf('budget_exhausted', { ...nothing, budget: { max_tokens: 100 } });
    expect(task.status).toBe('dead_letter');
    expect(task.error).toMatch(
      /^budget_exhausted after 0 iterations: task_budget_exhausted: task budget of 100 tokens is exhausted \(0 used\)/u,
    );
  });

  test('shutdown: a draining worker stops the loop, checks and reports', async () => {
    await start();
    const { task_id: id } = await system.client.submit(taskOf('held'));
    await system.model.waitForRequest(({ body }) => JSON.stringify(body).includes('Wrote 5 bytes'));
    await worker.stop();
    const task = await system.untilEnded(id);
    expect(task.result).toEqual(partialResult('shutdown', { iterations: 1 }));
  });

  test('cancelled: no result goes out, what it used is counted, and the workspace and the branch are gone', async () => {
    await start();
    const { task_id: id } = await system.client.submit(taskOf('held'));
    const asked = await system.model.waitForRequest(({ body }) =>
      JSON.stringify(body).includes('Wrote 5 bytes'),
    );
    const cancelledMs = Date.now();
    await system.client.cancel(id);
    await asked.ended;
    expect(asked.closedEarly).toBe(true);
    expect((asked.endedAtMs ?? Infinity) - cancelledMs).toBeLessThan(5_000 * slowness());
    await system.untilEvent(id, ({ reason }) => reason === 'figures');
    const task = await system.client.task(id);
    expect(task.status).toBe('cancelled');
    expect(task.result ?? null).toBeNull();
    expect(task.tokens_in).toBeGreaterThan(0);
    expect(git(repo, 'branch', '--list', 'sidecar/*')).toBe('');
    // What a person ended is not listed as a failure.
    let statuses: string[] = [];
    await eventually(
      () => statuses.length === 1 && statuses[0] !== 'running',
      'the end of the session',
      async () => {
        const sessions = await listSessions(join(system.dir, 'data', 'sessions'));
        statuses = sessions.map(({ status }) => status);
      },
    );
    expect(statuses).toEqual(['cancelled']);
  });
});

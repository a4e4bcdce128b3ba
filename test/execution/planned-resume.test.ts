import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, describe, expect, test } from '@jest/globals';
import { systemClock } from '../../sidecar/clock.ts';
import { createSecretMasker } from '../../sidecar/observability/secrets.ts';
import { parsePlan } from '../../sidecar/plan/parse.ts';
import type { TaskResult } from '../../sidecar/protocol/result.ts';
import { taskSchema } from '../../sidecar/protocol/task.ts';
import type { ScenarioInput } from '../../sidecar/scripted-model/scenario.ts';
import { startScriptedModel } from '../../sidecar/scripted-model/server.ts';
import { openRunSession } from '../../sidecar/session/run-session.ts';
import { prepareWorkspace } from '../../sidecar/workspace/prepare-workspace.ts';
import { DyingJournal, Killed } from '../support/dying-journal.ts';
import { calls, chatsOf, execute, say } from '../support/scripted-run.ts';
import { silentLogger } from '../../sidecar/silent-logger.ts';
import { cleanUp, repository, temporaryFolder } from '../workspace/repositories.ts';

afterEach(cleanUp);

const clock = { ...systemClock, now: () => Date.UTC(2026, 0, 7) };
const json = (value: unknown) => ({ content: JSON.stringify(value), verbatim: true });
const echo = (log: string, id: string): [string, Record<string, unknown>] => [
  'shell',
  { command: `echo ${id} >> ${log}` },
];
const scenarioOf = (log: string): ScenarioInput => ({
  models: [{ name: 'm' }],
  rules: [
    {
      when: { firstUser: 'You plan the work' },
      reply: json({ task_list: ['Look', 'Change', 'Check'].map((description) => ({ description })) }),
    },
    {
      when: { firstUser: 'You keep the log' },
      reply: json({ log_entry: { action: 'All done', result: 'It works.', tools_used: ['shell'] } }),
    },
  ],
  turns: [
    calls(['glob', {}], echo(log, 'a')),
    say('Looked.'),
    calls(echo(log, 'b'), ['update_plan', { decisions_made: [{ title: 'Append' }] }], echo(log, 'c')),
    calls(['update_plan', { criteria_completed: ['it works'] }]),
    say('Changed.'),
    calls(echo(log, 'd')),
    say('Checked.'),
  ],
});

interface Life {
  result?: TaskResult;
  requests: number;
  effects: string[];
}

async function live(root: string, repo: string, journal: DyingJournal, withSession: boolean): Promise<Life> {
  const log = join(root, 'effects.log');
  const workspace = await prepareWorkspace({
    task: { task_id: 't1', repo },
    cacheDir: join(root, 'cache'),
    worktreesDir: join(root, 'worktrees'),
  });
  if (!workspace.ok) throw new Error(workspace.failure.message);
  const server = await startScriptedModel({ scenario: scenarioOf(log) });
  const mask = createSecretMasker([], {});
  const session = { sessionsDir: join(root, 'sessions'), journal, clock, mask, logger: silentLogger };
  let result: TaskResult | undefined;
  try {
    ({ result } = await execute({
      server,
      task: { repo, workflow: 'planned', success_criteria: ['it works'] },
      execute: { workspace: workspace.value },
      deps: {
        clock,
        journal: () => journal,
        ...(withSession && {
          openSession: (task) => openRunSession({ ...session, task: taskSchema.parse(task) }),
        }),
      },
    }));
  } catch (error) {
    if (!(error instanceof Killed)) throw error;
  } finally {
    await server.close();
  }
  const effects = (await readFile(log, 'utf8').catch(() => '')).split('\n').filter(Boolean);
  return { requests: chatsOf(server).length, effects, ...(result && { result }) };
}

describe('a planned task whose worker died', () => {
  test.each([true, false])(
    'goes on at the step where it was; the plan is what it would have been (session: %s)',
    async (withSession) => {
      const whole = new DyingJournal();
      const first = await live(temporaryFolder(), repository(), whole, withSession);
      expect(first.result).toMatchObject({ status: 'success', remaining: [] });
      const planOf = (result: TaskResult | undefined) => {
        const read = parsePlan(result?.plan ?? '');
        return read.success ? { ...read.plan, metadata: undefined } : read.error;
      };
      const stride = process.env.TEST_SCALE === 'ci' ? 1 : 6;
      for (let append = withSession ? 3 : 6; append <= whole.appends; append += stride) {
        const [root, repo] = [temporaryFolder(), repository()];
        const dying = new DyingJournal({ append, written: append % 2 === 0 });
        const died = await live(root, repo, dying, withSession);
        expect(died.result).toBeUndefined();
        const after = await live(root, repo, new DyingJournal(undefined, dying), withSession);
        const where = `append ${append}`;
        expect([where, after.effects]).toEqual([where, [...new Set(after.effects)]]);
        expect([where, after.result?.completed]).toEqual([where, first.result?.completed]);
        expect([where, planOf(after.result)]).toEqual([where, planOf(first.result)]);
        // What was answered is not asked again; only the answer that was lost is.
        expect(died.requests + after.requests).toBeLessThanOrEqual(first.requests + 1);
      }
    },
    120_000,
  );
});

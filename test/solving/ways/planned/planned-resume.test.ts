import { join } from 'node:path';
import { afterEach, describe, expect, test } from '@jest/globals';
import { systemClock } from '../../../../sidecar/base/system/clock.ts';
import { createSecretMasker } from '../../../../sidecar/base/observability/secrets.ts';
import type { TaskResult } from '../../../../sidecar/base/protocol/result.ts';
import { taskSchema } from '../../../../sidecar/base/protocol/task.ts';
import { openTaskSession } from '../../../../sidecar/worker/task-session.ts';
import { deathsOf, DyingJournal } from '../../../support/dying-journal.ts';
import { echo, liveIn, newPlace, type Place, type ScenarioWithLog } from '../../../support/lives.ts';
import { calls, planning, say } from '../../../support/scripted-model.ts';
import { silentLogger } from '../../../../sidecar/base/observability/silent-logger.ts';
import { cleanUp } from '../../../workspace/repositories.ts';

afterEach(cleanUp);

const clock = { ...systemClock, now: () => Date.UTC(2026, 0, 7) };
const scenarioOf: ScenarioWithLog = (log) => ({
  models: [{ name: 'm' }],
  rules: planning(
    ['Look', 'Change', 'Check'].map((description) => ({ description })),
    { log_entry: { action: 'All done', result: 'It works.', tools_used: ['shell'] } },
  ),
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

function liveOnce(place: Place, journal: DyingJournal, withSession: boolean) {
  const mask = createSecretMasker([], {});
  const sessionsDir = join(place.root, 'sessions');
  const session = { sessionsDir, clock, mask, logger: silentLogger };
  return liveIn(place, scenarioOf, journal, {
    task: { workflow: 'planned', success_criteria: ['it works'] },
    deps: {
      clock,
      ...(withSession && {
        openSession: (task, control) => openTaskSession(session, taskSchema.parse(task), control),
      }),
    },
  });
}

describe('a planned task whose worker died', () => {
  test.each([true, false])(
    'goes on at the step where it was; the plan is what it would have been (session: %s)',
    async (withSession) => {
      const whole = new DyingJournal();
      const first = await liveOnce(newPlace(), whole, withSession);
      expect(first.result).toMatchObject({ status: 'success', remaining: [] });
      const planOf = (result: TaskResult | undefined) => result?.plan;
      expect(planOf(first.result)).toContain('### Append');
      for (const death of deathsOf(whole, 3)) {
        const place = newPlace();
        const dying = new DyingJournal(death);
        const died = await liveOnce(place, dying, withSession);
        expect(died.result).toBeUndefined();
        const after = await liveOnce(place, new DyingJournal(undefined, dying), withSession);
        const where = `append ${death.append}`;
        expect([where, after.effects]).toEqual([where, [...new Set(after.effects)]]);
        expect([where, after.result?.completed]).toEqual([where, first.result?.completed]);
        expect([where, planOf(after.result)]).toEqual([where, planOf(first.result)]);
        // What was answered is not asked again; only the answer that was lost is.
        expect(died.chats.length + after.chats.length).toBeLessThanOrEqual(first.chats.length + 1);
      }
    },
  );
});

/** The wall clock of a task over the death of its worker: time that was used before counts. */
import { afterEach, expect, test } from '@jest/globals';
import { systemClock } from '../../sidecar/system/clock.ts';
import type { ScenarioInput } from '../../sidecar/scripted-model/scenario.ts';
import { DyingJournal } from '../support/dying-journal.ts';
import { live } from '../support/lives.ts';
import { call, say, scenario } from '../support/scripted-model.ts';
import { cleanUp, temporaryFolder } from '../workspace/repositories.ts';

afterEach(cleanUp);

/** A life with a limit of a minute; `passMs` of its clock pass while its first tool call runs. */
async function liveOnce(
  turns: ScenarioInput['turns'],
  { dir, journal, passMs = 0 }: { dir: string; journal: DyingJournal; passMs?: number },
) {
  let skewMs = 0;
  const clock = { ...systemClock, monotonicMs: () => systemClock.monotonicMs() + skewMs };
  const startedMs = performance.now();
  const life = await live(scenario(turns), journal, {
    dir,
    task: {
      metadata: { timeout_ms: 60_000 },
      verification_steps: [{ type: 'file_exists', target: 'half.txt' }],
    },
    deps: { clock },
    onProgress: ({ event_type: type, phase }) => {
      if (type === 'tool_call' && phase === 'started') skewMs = passMs;
    },
  });
  return { ...life, tookMs: performance.now() - startedMs };
}

const write = call('write_file', { file_path: 'half.txt', content: 'half' });

/** Dies when the second answer is to be written, after the first call and its result. */
async function died(dir: string, passMs: number): Promise<DyingJournal> {
  const whole = new DyingJournal();
  await liveOnce([write, say('Done.')], { dir: temporaryFolder(), journal: whole });
  // After the second answer comes what the checks say of the work and of its base.
  const first = new DyingJournal({ append: whole.appends - 2, written: false });
  const { result } = await liveOnce([write, say('Done.')], { dir, journal: first, passMs });
  expect(result).toBeUndefined();
  return new DyingJournal(undefined, first);
}

test('a resumed task has only the time that is left of its limit', async () => {
  const dir = temporaryFolder();
  const journal = await died(dir, 55_000);
  const silent = { ...say('late'), faults: [{ kind: 'silent' as const, times: 'always' as const }] };
  const { result, tookMs } = await liveOnce([write, silent], { dir, journal });
  expect(result).toMatchObject({ termination_reason: 'timeout', iterations_used: 1 });
  expect(result?.execution_ms).toBeGreaterThanOrEqual(60_000);
  expect(tookMs).toBeLessThan(20_000);
});

test('a task whose time was used up before is told as it was and asks the model nothing more', async () => {
  const dir = temporaryFolder();
  const journal = await died(dir, 61_000);
  const { result, chats } = await liveOnce([write, say('Done.')], { dir, journal });
  expect(chats).toEqual([]);
  expect(result).toMatchObject({
    status: 'success',
    verification_status: 'verified',
    termination_reason: 'timeout',
    iterations_used: 1,
  });
});

test('time that a life did not write down is not counted', async () => {
  const dir = temporaryFolder();
  const journal = await died(dir, 0);
  expect(journal.usedMs()).toBeLessThan(20_000);
  const { result } = await liveOnce([write, say('Done.')], { dir, journal });
  expect(result).toMatchObject({ status: 'success', termination_reason: 'final_answer' });
});

import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, test } from '@jest/globals';
import { configSchema } from '../../../sidecar/base/config/schema.ts';
import { taskSchema, type TaskInput } from '../../../sidecar/base/protocol/task.ts';
import type { ScenarioInput } from '../../../sidecar/model/scripted/scenario.ts';
import {
  countChangedLines,
  changesNothing,
  computeChangeKey,
} from '../../../sidecar/solving/task/changes.ts';
import { computeRunLimits } from '../../../sidecar/solving/task/run-limits.ts';
import type { JournalEntry } from '../../../sidecar/solving/task/journal.ts';
import { TaskControl } from '../../../sidecar/solving/task/task-control.ts';
import { DyingJournal } from '../../support/dying-journal.ts';
import { liveIn, newPlace, type Place } from '../../support/lives.ts';
import { ManualClock } from '../../support/manual-clock.ts';
import { call, say, scenario, testModel } from '../../support/scripted-model.ts';
import { execute } from '../../support/scripted-run.ts';
import { cleanUp, temporaryFolder } from '../../workspace/repositories.ts';

test('the wall clock of a task stands still while it is paused, however many pause it', async () => {
  const clock = new ManualClock();
  const control = new TaskControl();
  control.startWallClock(clock, 10_000);
  control.raiseUsedTime(2_000);
  await clock.advance(3_000);
  const resume = [control.pauseWallClock(), control.pauseWallClock()];
  await clock.advance(3_600_000);
  resume[0]?.();
  await clock.advance(3_600_000);
  expect(control.usedMs).toBe(5_000);
  resume[1]?.();
  await clock.advance(4_999);
  expect(control.stopReason).toBeUndefined();
  await clock.advance(1);
  expect(control.stopReason).toBe('timeout');
  await control.dispose();
});

test('a pause at the very end of the time stops the task all the same', async () => {
  const clock = new ManualClock();
  const control = new TaskControl();
  // Due before the wall clock's own timer, as when something kept the process busy until both were due.
  clock.schedule(10_000, () => control.pauseWallClock()());
  control.startWallClock(clock, 10_000);
  await clock.advance(10_000);
  expect(control.stopReason).toBe('timeout');
  expect(control.signal.aborted).toBe(true);
  await control.dispose();
});

test('time of an earlier life ends the task like its own, and no time is taken back', async () => {
  const clock = new ManualClock();
  const control = new TaskControl();
  control.startWallClock(clock, 10_000);
  await clock.advance(3_000);
  control.raiseUsedTime(2_000);
  expect(control.usedMs).toBe(3_000);
  control.raiseUsedTime(10_000);
  expect(control.signal.reason).toBe('timeout');
  await control.dispose();
});

describe('a part of a task', () => {
  test('stops alone when its share is over, and the task goes on', async () => {
    const clock = new ManualClock();
    const control = new TaskControl();
    control.startWallClock(clock, 10_000);
    const part = control.openPart(4_000);
    await clock.advance(4_000);
    expect(part.stopReason).toBe('timeout');
    expect(part.signal.aborted).toBe(true);
    expect(control.stopReason).toBeUndefined();
    expect(control.leftMs).toBe(6_000);
    await control.dispose();
  });

  test('stops with the task, and a cancel goes before its own end', async () => {
    const clock = new ManualClock();
    const control = new TaskControl();
    control.startWallClock(clock, 10_000);
    const part = control.openPart(4_000);
    await clock.advance(4_000);
    control.stop('cancelled');
    expect(part.stopReason).toBe('cancelled');
    expect(part.cancelled.aborted).toBe(true);
    const next = control.openPart(4_000);
    expect(next.stopReason).toBe('cancelled');
    expect(next.signal.aborted).toBe(true);
    await control.dispose();
  });

  test('a soft stop of the task is a soft stop of its part, also of one that begins later', async () => {
    const control = new TaskControl();
    const part = control.openPart(4_000);
    control.stopSoon('shutdown');
    const next = control.openPart(4_000);
    for (const each of [part, next]) {
      expect(each.stopReason).toBe('shutdown');
      expect(each.stopping.aborted).toBe(true);
      expect(each.signal.aborted).toBe(false);
    }
    await control.dispose();
  });

  test('its pauses are those of the task, and what people say reaches it', async () => {
    const clock = new ManualClock();
    const control = new TaskControl();
    control.startWallClock(clock, 10_000);
    const part = control.openPart(4_000);
    const resume = part.pauseWallClock();
    await clock.advance(3_600_000);
    resume();
    await clock.advance(3_999);
    expect([part.stopReason, control.leftMs]).toEqual([undefined, 6_001]);
    await clock.advance(1);
    expect(part.stopReason).toBe('timeout');
    control.steer('Use the plus sign.');
    expect(part.steering.take('run', 1)).toEqual(['Use the plus sign.']);
    expect(control.steering.deliveredTexts).toEqual(['Use the plus sign.']);
    await control.dispose();
    expect(clock.pending).toBe(0);
  });
});

/** The wall clock of a task over the death of its worker: time that was used before counts. */
describe('resumed time', () => {
  afterEach(cleanUp);

  /** Runs the task with a limit of a minute. */
  async function liveOnce(
    turns: ScenarioInput['turns'],
    { place, journal }: { place: Place; journal: DyingJournal },
  ) {
    const startedMs = performance.now();
    const life = await liveIn(place, () => scenario(turns), journal, {
      task: {
        metadata: { timeout_ms: 60_000 },
        verification_steps: [{ type: 'file_exists', target: 'half.txt' }],
      },
    });
    return { ...life, tookMs: performance.now() - startedMs };
  }

  const write = call('write_file', { file_path: 'half.txt', content: 'half' });
  const look = call('glob', { pattern: '*' });

  /** Dies when the third answer is to be written; `usedMs`: time of the task that the second answer has. */
  async function died(place: Place, usedMs?: number): Promise<DyingJournal> {
    const turns = [write, look, say('Done.')];
    const whole = new DyingJournal();
    await liveOnce(turns, { place: newPlace(), journal: whole });
    const append = whole.kinds.lastIndexOf('answer run') + 1;
    const first = new DyingJournal({ append, written: false });
    const { result } = await liveOnce(turns, { place, journal: first });
    expect(result).toBeUndefined();
    const second = new DyingJournal();
    const isSecond = ({ kind, round }: JournalEntry) => kind === 'answer' && round === 2;
    for (const entry of first.entries)
      void second.append([usedMs !== undefined && isSecond(entry) ? { ...entry, usedMs } : entry]);
    return second;
  }

  test('a resumed task has only the time that is left of its limit', async () => {
    const place = newPlace();
    const journal = await died(place, 55_000);
    const silent = { ...say('late'), faults: [{ kind: 'silent' as const, times: 'always' as const }] };
    const { result, tookMs } = await liveOnce([write, look, silent], { place, journal });
    expect(result).toMatchObject({ termination_reason: 'timeout', iterations_used: 2 });
    expect(result?.execution_ms).toBeGreaterThanOrEqual(60_000);
    expect(tookMs).toBeLessThan(20_000);
  });

  test('a task whose time was used up before is told as it was and asks the model nothing more', async () => {
    const place = newPlace();
    const journal = await died(place, 61_000);
    const { result, chats } = await liveOnce([write, look, say('Done.')], { place, journal });
    expect(chats).toEqual([]);
    expect(result).toMatchObject({
      status: 'success',
      verification_status: 'verified',
      termination_reason: 'timeout',
      iterations_used: 2,
    });
  });

  test('time that a life did not write down is not counted', async () => {
    const place = newPlace();
    const journal = await died(place);
    expect(Math.max(...journal.entries.map(({ usedMs = 0 }) => usedMs))).toBeLessThan(20_000);
    const { result } = await liveOnce([write, look, say('Done.')], { place, journal });
    expect(result).toMatchObject({ status: 'success', termination_reason: 'final_answer' });
  });
});

const task = (input: Partial<TaskInput> = {}) => taskSchema.parse({ task_id: 't1', generation: 1, ...input });
const config = (limits: object = {}) => configSchema.parse({ limits }).limits;
const limits = (input: Partial<TaskInput>, settings: object = {}, agentic = true) =>
  computeRunLimits(task(input), config(settings), agentic);

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

  test('iterations come from the task, then from its tier, then from the settings, and end at a ceiling', () => {
    const settings = { maxIterations: 7 };
    const trivial = { complexity: { effective_tier: 'trivial' } };
    expect(limits({}, settings).maxIterations).toBe(7);
    expect(limits(trivial, settings).maxIterations).toBe(4);
    expect(limits({ complexity: { effective_tier: 'complex' } }, settings).maxIterations).toBe(14);
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
    expect(computeRunLimits(task(), config(), true, true).readOnly).toBe(false);
  });

  test('words decide nothing', () => {
    const asked = { repo: '/r', description: 'How long does it wait? Do not change anything.' };
    expect(limits(asked).readOnly).toBe(false);
  });
});

/** Which writes of the journal a task waits for: that a call begins which reaches out. */
describe('journal waits', () => {
  afterEach(cleanUp);

  /** Written at once, on disk when `disk` says so. */
  class SlowJournal extends DyingJournal {
    readonly soon: string[] = [];
    readonly #disk: (kinds: string) => Promise<void>;

    constructor(disk: (kinds: string) => Promise<void>) {
      super();
      this.#disk = disk;
    }

    override append(entries: JournalEntry[], withinMs?: number): Promise<void> {
      void super.append(entries);
      const kinds = this.kinds.at(-1) ?? '';
      if (withinMs !== undefined) this.soon.push(kinds);
      return this.#disk(kinds);
    }
  }

  async function run(journal: SlowJournal, dir: string) {
    const write = call('shell', { command: 'echo a > a.txt' });
    const read = call('read_file', { file_path: 'a.txt' });
    const server = await testModel(scenario([write, read, say('Done.')]));
    return (await execute({ server, dir, execute: { control: new TaskControl(journal) } })).result;
  }

  test('a call that reaches out begins when that is on disk, and nothing else waits for it', async () => {
    const dir = temporaryFolder();
    const begun: boolean[] = [];
    const journal = new SlowJournal(async (kinds) => {
      if (kinds !== 'intent call ') return new Promise(() => undefined);
      await new Promise((resolve) => setImmediate(resolve));
      begun.push(existsSync(join(dir, 'a.txt')));
    });
    const result = await run(journal, dir);
    expect(result.termination_reason).toBe('final_answer');
    expect(begun).toEqual([false]);
    const waited = journal.kinds.filter((kinds) => !journal.soon.includes(kinds));
    expect(waited).toEqual(['intent call ']);
  });

  test('a disk that fails after a write that nobody waited for ends the task at the next one', async () => {
    const full = new Error('the disk is full');
    const journal = new SlowJournal((kinds) =>
      kinds.startsWith('answer') ? Promise.reject(full) : Promise.resolve(),
    );
    await expect(run(journal, temporaryFolder())).rejects.toBe(full);
  });
});

/** How many lines a change adds and removes, and which changes are the same: comments are left out where the language has them. */
const isSame = (path: string, one: string, other: string): boolean =>
  computeChangeKey([{ path, after: one }]) === computeChangeKey([{ path, after: other }]);

describe('the same change', () => {
  test.each([
    ['a.js', 'f();\n', '// Calls it.\nf();\n'],
    ['a.ts', 'f();\n', '/**\n * Calls it.\n */\nf();\n'],
    ['a.go', 'f()\n', '  f() \n\n'],
    ['a.py', 'f()\n', '# Calls it.\nf()\n'],
    ['a.yaml', 'a: 1\n', '# one\na: 1\n'],
    ['a.css', 'a { }\n', '/* links */\na { }\n'],
  ])('%s: comments and white space', (path, one, other) => {
    expect(isSame(path, one, other)).toBe(true);
    expect(changesNothing([{ path, before: one, after: other }])).toBe(true);
  });

  test('a file with another comment alone counts only where there is no other', () => {
    const code = { path: 'a.js', before: 'f();\n', after: 'g();\n' };
    const comment = (text: string) => ({ path: 'b.js', before: 'h();\n', after: `// ${text}\nh();\n` });
    expect(computeChangeKey([code, comment('Calls it.')])).toBe(computeChangeKey([code]));
    expect(computeChangeKey([comment('Calls it.')])).not.toBe(computeChangeKey([code]));
    expect(computeChangeKey([comment('Calls it.')])).toBe(computeChangeKey([comment('Once.')]));
  });

  test.each([
    ['README.md', '# Old\n', '# New\n'],
    ['README.md', '* one\n', '* two\n'],
    ['a.c', '#define A 1\n', '#define A 2\n'],
    ['a.c', '*p = 1;\n', '*p = 2;\n'],
    ['a.rs', '#[test]\n', '#[ignore]\n'],
    ['a.css', '#a { }\n', '#b { }\n'],
    ['a.js', '*f() {}\n', '*g() {}\n'],
    ['a.js', '/* x */ f();\n', '/* x */ g();\n'],
    ['a.sh', '#!/bin/sh\n', '#!/bin/bash\n'],
  ])('%s: what only looks like a comment is none', (path, one, other) => {
    expect(isSame(path, one, other)).toBe(false);
  });
});

test.each([
  ['a\nb\n', 'a\nc\nb\n', 1, 0],
  ['a\nb\n', 'a\nc\n', 1, 1],
  ['a\nb\n', 'a\nb\n', 0, 0],
  // A line that moved is taken away in one place and added in another.
  ['a\nb\nc\n', 'c\na\nb\n', 1, 1],
])('%j to %j: +%i −%i', (before, after, additions, deletions) => {
  expect(countChangedLines(before, after)).toEqual({ additions, deletions });
});

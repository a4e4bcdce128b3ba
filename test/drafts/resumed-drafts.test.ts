/** Drafts of a task whose worker is killed, and which another life of it takes up. */
import { describe, expect, test } from '@jest/globals';
import type { TaskResult } from '../../sidecar/protocol/result.ts';
import { DyingJournal, Killed } from '../support/dying-journal.ts';
import { call, say, testModel } from '../support/scripted-model.ts';
import { scaled } from '../support/scale.ts';
import { execute, type RunOptions } from '../support/scripted-run.ts';
import { answer, draftRuns, nothing, right, script, task, WRONG } from './draft-runs.ts';

const { dir, source, writeSource } = draftRuns();
/** Of the writes of a journal every one, or every so many. */
const EACH = scaled({ quick: 3, full: 1 });

describe('a worker that is killed', () => {
  const drafts = [answer('return a * b;'), right];
  const options = {
    server: { url: '' },
    task,
    config: {
      brief: { seconds: 15 },
      solving: { strategy: 'auto' as const, drafts: 4, repairs: 0 },
      ollama: { slots: 1 },
    },
  };

  const loop = [{ ...nothing, repeat: 'always' as const }];
  type Options = Omit<RunOptions, 'dir' | 'deps'>;

  /** How often the journal is written to in one life. */
  async function appendsOf(run: Options): Promise<number> {
    const whole = new DyingJournal();
    await execute({ ...run, dir: dir(), deps: { journal: () => whole } });
    return whole.appends;
  }

  /** Kills the task at some of those writes, each in a life of its own, and hands over what another life makes of it. */
  async function resumeFrom(
    run: Options,
    { wrong = WRONG, step = EACH, ...at }: { from: number; to: number; step?: number; wrong?: string },
    look: (result: TaskResult) => void,
  ): Promise<void> {
    for (let append = at.from; append <= at.to; append += step) {
      writeSource(wrong);
      const first = new DyingJournal({ append, written: append % 2 === 0 });
      const died = execute({ ...run, dir: dir(), deps: { journal: () => first } });
      await expect(died).rejects.toThrow(Killed);
      const second = new DyingJournal(undefined, first);
      const { result } = await execute({ ...run, dir: dir(), deps: { journal: () => second } });
      look(result);
    }
  }

  test('goes on with the drafts that are missing, wherever it was', async () => {
    const run = { ...options, server: await testModel(script(drafts, loop)) };
    const to = await appendsOf(run);
    expect(to).toBeGreaterThan(5);
    await resumeFrom(run, { from: 1, to }, (result) => {
      expect(result).toMatchObject({
        status: 'success',
        verification_status: 'verified',
        iterations_used: 2,
      });
      expect(source()).toBe(WRONG.replace('a - b', 'a + b'));
    });
  }, 300_000);

  test('also among parts of a draft', async () => {
    const wrong = 'export function add(a, b) {\n  return a > b ? a - b : a - b;\n}\n';
    const parted = {
      ...options,
      config: { ...options.config, solving: { drafts: 1, repairs: 0 } },
      task: {
        ...task,
        verification_steps: [
          ...task.verification_steps,
          { type: 'command_succeeds' as const, target: "! grep -q '>=' src/add.js" },
        ],
      },
      server: await testModel(script([answer('return a >= b ? a - b : a + b;')], loop)),
    };
    writeSource(wrong);
    const to = await appendsOf(parted);
    await resumeFrom(parted, { from: 1, to, step: 3 * EACH, wrong }, (result) => {
      expect(result).toMatchObject({ verification_status: 'verified', iterations_used: 1 });
      expect(source()).toBe(wrong.replace(': a - b', ': a + b'));
    });
  }, 300_000);

  test('also where several are asked for at once', async () => {
    const turns = [answer('return a * b;'), answer('return a;'), answer('return b;'), right];
    const config = { ...options.config, ollama: {} };
    const run = { ...options, config, server: await testModel(script(turns, loop)) };
    await resumeFrom(run, { from: 4, to: 12 }, (result) => {
      expect(result).toMatchObject({ status: 'success', verification_status: 'verified' });
      expect(source()).toBe(WRONG.replace('a - b', 'a + b'));
    });
  }, 300_000);

  test('keeps what the loop changed after the draft', async () => {
    const half = { type: 'file_contains' as const, target: 'src/add.js', contains: 'Math' };
    const corrected = {
      ...options,
      task: { ...task, verification_steps: [...task.verification_steps, half] },
    };
    const change = {
      file_path: 'src/add.js',
      old_string: 'Math.max(a, b)',
      new_string: 'a + b + 0 * Math.PI',
    };
    const server = await testModel(
      script(
        [answer('return Math.max(a, b);'), answer('return a;'), answer('return b;'), answer('return 0;')],
        [call('edit_file', change), say('It adds now.')],
      ),
    );
    const first = new DyingJournal();
    await execute({ ...corrected, server, dir: dir(), deps: { journal: () => first } });
    const { appends } = first;
    writeSource(WRONG);
    const dying = new DyingJournal({ append: appends, written: false });
    const died = execute({ ...corrected, server, dir: dir(), deps: { journal: () => dying } });
    await expect(died).rejects.toThrow(Killed);
    expect(source()).toContain('Math.PI');
    const second = new DyingJournal(undefined, dying);
    const { result } = await execute({ ...corrected, server, dir: dir(), deps: { journal: () => second } });
    expect(source()).toContain('Math.PI');
    expect(result).toMatchObject({ status: 'success', verification_status: 'verified' });
  });
});

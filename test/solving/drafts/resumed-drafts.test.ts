/** Drafts of a task whose worker is killed, and which another life of it takes up. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, test } from '@jest/globals';
import { TaskControl } from '../../../sidecar/solving/task/task-control.ts';
import type { TaskResult } from '../../../sidecar/base/protocol/result.ts';
import { deathsOf, DyingJournal, Killed } from '../../support/dying-journal.ts';
import { call, say, testModel } from '../../support/scripted-model.ts';
import { execute, type RunOptions } from '../../support/scripted-run.ts';
import { prepared } from '../../workspace/prepared.ts';
import { cleanUp, places, repository } from '../../workspace/repositories.ts';
import { answer, nothing, right, script, task, WRONG } from './draft-runs.ts';

afterEach(cleanUp);

const packageFile = '{"type":"module"}\n';

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

  /** Lives of one task in one place, each in the workspace that the one before it left. */
  async function placeFor(wrong: string) {
    const repo = repository({ 'package.json': packageFile, 'src/add.js': wrong });
    const where = places();
    return async (run: Options, journal: DyingJournal) => {
      const workspace = await prepared({ task_id: 't1', repo }, where);
      const inRepo = {
        ...run,
        task: { ...run.task, repo },
        execute: { workspace, control: new TaskControl(journal) },
      };
      const { result } = await execute(inRepo);
      return { result, source: readFileSync(join(workspace.dir, 'src/add.js'), 'utf8') };
    };
  }

  /** Kills the task at writes of its journal, each in a place of its own, and hands over what another life makes of it. */
  async function resumed(
    run: Options,
    look: (result: TaskResult, source: string) => void,
    { from, wrong = WRONG }: { from?: number; wrong?: string } = {},
  ): Promise<void> {
    const whole = new DyingJournal();
    await (
      await placeFor(wrong)
    )(run, whole);
    const deaths = deathsOf(whole, from);
    expect(deaths.length).toBeGreaterThan(1);
    for (const death of deaths) {
      const live = await placeFor(wrong);
      const first = new DyingJournal(death);
      await expect(live(run, first)).rejects.toThrow(Killed);
      const { result, source } = await live(run, new DyingJournal(undefined, first));
      look(result, source);
    }
  }

  test('goes on with the drafts that are missing, wherever it was', async () => {
    const run = { ...options, server: await testModel(script(drafts, loop)) };
    await resumed(run, (result, source) => {
      expect(result).toMatchObject({
        status: 'success',
        verification_status: 'verified',
        iterations_used: 2,
      });
      expect(source).toBe(WRONG.replace('a - b', 'a + b'));
    });
  }, 300_000);

  test('also where several are asked for at once', async () => {
    const turns = [answer('return a * b;'), answer('return a;'), answer('return b;'), right];
    const config = { ...options.config, ollama: {} };
    const run = { ...options, config, server: await testModel(script(turns, loop)) };
    const look = (result: TaskResult, source: string) => {
      expect(result).toMatchObject({ status: 'success', verification_status: 'verified' });
      expect(source).toBe(WRONG.replace('a - b', 'a + b'));
    };
    await resumed(run, look, { from: 4 });
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
    await resumed({ ...corrected, server }, (result, source) => {
      expect(source).toContain('Math.PI');
      expect(result).toMatchObject({ status: 'success', verification_status: 'verified' });
    });
  }, 300_000);
});

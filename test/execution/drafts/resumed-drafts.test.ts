/** Drafts of a task whose worker is killed, and which another life of it takes up. */
import { describe, expect, test } from '@jest/globals';
import { DyingJournal, Killed } from '../../support/dying-journal.ts';
import { call, say, testModel, verbatim } from '../../support/scripted-model.ts';
import { execute } from '../../support/scripted-run.ts';
import { answer, draftRuns, nothing, right, script, task, WRONG } from './draft-runs.ts';

const { dir, source, writeSource } = draftRuns();

describe('a worker that is killed', () => {
  const drafts = [answer('return a * b;'), right];
  const options = {
    server: { url: '' },
    task,
    config: {
      brief: { seconds: 15 },
      solving: { strategy: 'auto' as const, drafts: 4 },
      ollama: { slots: 1 },
    },
  };

  test('goes on with the drafts that are missing, wherever it was', async () => {
    const server = await testModel(script(drafts, [{ ...nothing, repeat: 'always' }]));
    const whole = new DyingJournal();
    await execute({ ...options, server, dir: dir(), deps: { journal: () => whole } });
    expect(whole.appends).toBeGreaterThan(5);
    const lives = Array.from({ length: whole.appends }, (_, index) => index + 1);
    for (const append of lives) {
      writeSource(WRONG);
      const first = new DyingJournal({ append, written: append % 2 === 0 });
      const died = execute({ ...options, server, dir: dir(), deps: { journal: () => first } });
      await expect(died).rejects.toThrow(Killed);
      const second = new DyingJournal(undefined, first);
      const { result } = await execute({ ...options, server, dir: dir(), deps: { journal: () => second } });
      expect(result).toMatchObject({
        status: 'success',
        verification_status: 'verified',
        iterations_used: 2,
      });
      expect(source()).toBe(WRONG.replace('a - b', 'a + b'));
    }
  }, 300_000);

  test('also among drafts line by line', async () => {
    const lines = { ...options, config: { ...options.config, solving: { drafts: 2, lines: 4 } } };
    const turns = [answer('return a * b;'), verbatim('return a + b;')];
    const server = await testModel(script(turns, [{ ...nothing, repeat: 'always' }]));
    const whole = new DyingJournal();
    await execute({ ...lines, server, dir: dir(), deps: { journal: () => whole } });
    for (let append = 1; append <= whole.appends; append += 3) {
      writeSource(WRONG);
      const first = new DyingJournal({ append, written: append % 2 === 0 });
      const died = execute({ ...lines, server, dir: dir(), deps: { journal: () => first } });
      await expect(died).rejects.toThrow(Killed);
      const second = new DyingJournal(undefined, first);
      const { result } = await execute({ ...lines, server, dir: dir(), deps: { journal: () => second } });
      expect(result).toMatchObject({
        status: 'success',
        verification_status: 'verified',
        iterations_used: 2,
      });
      expect(source()).toBe(WRONG.replace('a - b', 'a + b'));
    }
  }, 300_000);

  test('also among parts of a draft', async () => {
    const wrong = 'export function add(a, b) {\n  return a > b ? a - b : a - b;\n}\n';
    const parted = {
      ...options,
      config: { ...options.config, solving: { drafts: 1 } },
      task: {
        ...task,
        verification_steps: [
          ...task.verification_steps,
          { type: 'command_succeeds' as const, target: "! grep -q '>=' src/add.js" },
        ],
      },
    };
    const server = await testModel(
      script([answer('return a >= b ? a - b : a + b;')], [{ ...nothing, repeat: 'always' }]),
    );
    writeSource(wrong);
    const whole = new DyingJournal();
    await execute({ ...parted, server, dir: dir(), deps: { journal: () => whole } });
    for (let append = 1; append <= whole.appends; append += 3) {
      writeSource(wrong);
      const first = new DyingJournal({ append, written: append % 2 === 0 });
      const died = execute({ ...parted, server, dir: dir(), deps: { journal: () => first } });
      await expect(died).rejects.toThrow(Killed);
      const second = new DyingJournal(undefined, first);
      const { result } = await execute({ ...parted, server, dir: dir(), deps: { journal: () => second } });
      expect(result).toMatchObject({ verification_status: 'verified', iterations_used: 1 });
      expect(source()).toBe(wrong.replace(': a - b', ': a + b'));
    }
  }, 300_000);

  test('also where several are asked for at once', async () => {
    const beside = { ...options, config: { ...options.config, ollama: {} } };
    const turns = [answer('return a * b;'), answer('return a;'), answer('return b;'), right];
    const server = await testModel(script(turns, [{ ...nothing, repeat: 'always' }]));
    for (let append = 4; append <= 12; append += 1) {
      writeSource(WRONG);
      const first = new DyingJournal({ append, written: append % 2 === 0 });
      const died = execute({ ...beside, server, dir: dir(), deps: { journal: () => first } });
      await expect(died).rejects.toThrow(Killed);
      const second = new DyingJournal(undefined, first);
      const { result } = await execute({ ...beside, server, dir: dir(), deps: { journal: () => second } });
      expect(result).toMatchObject({ status: 'success', verification_status: 'verified' });
      expect(source()).toBe(WRONG.replace('a - b', 'a + b'));
    }
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

import { existsSync } from 'node:fs';
import { mkdir, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from '@jest/globals';
import { MAX_PLAN_CHARS, parsePlan } from '../../sidecar/plan/parse.ts';
import { PlanManager } from '../../sidecar/plan/plan-manager.ts';
import { emptyPlan } from '../../sidecar/plan/plan.ts';
import { serializePlan } from '../../sidecar/plan/serialize.ts';
import { MAX_STEPS, taskListSchema } from '../../sidecar/plan/task-list.ts';
import { keptLog } from '../support/kept-log.ts';
import { tempFolders } from '../support/temp-folder.ts';

describe('plan manager', () => {
  const newFolder = tempFolders();
  let folder: string;
  let file: string;
  const clock = { now: () => Date.parse('2026-01-07T10:23:21.000Z') };
  const onDisk = async () => parsePlan(await readFile(file, 'utf8'));

  beforeEach(() => {
    folder = newFolder();
    file = join(folder, 'plan_doc.md');
  });

  describe('the plan manager', () => {
    test('begins with a new plan from the task and writes it', async () => {
      const manager = await PlanManager.open({ file, clock, initial: { goal: 'g', criteria: ['c'] } });
      expect(manager.plan).toMatchObject({
        goal: 'g',
        acceptanceCriteria: [{ description: 'c', completed: false }],
      });
      expect(await onDisk()).toEqual({ success: true, plan: manager.plan });
    });

    test('goes on with the document that is there', async () => {
      const plan = emptyPlan({ nowMs: 5_000, goal: 'earlier' });
      await writeFile(file, serializePlan(plan));
      expect((await PlanManager.open({ file, clock })).plan).toEqual(plan);
    });

    test('writes each update and leaves no temporary file', async () => {
      const manager = await PlanManager.open({ file, clock, initial: { criteria: ['c'] } });
      expect(manager.update({ criteria_completed: ['c'], status: 'completed' })).toMatch(
        /^Plan completed: 1 of 1/,
      );
      expect(await onDisk()).toEqual({ success: true, plan: manager.plan });
      expect(await readdir(folder)).toEqual(['plan_doc.md']);
    });

    test('asks once for the repair of a broken document and keeps it beside', async () => {
      await writeFile(file, 'KEEP this');
      const asked: string[] = [];
      const repaired = emptyPlan({ nowMs: 5_000, goal: 'KEEP this' });
      const manager = await PlanManager.open({
        file,
        clock,
        repair: (prompt) => {
          asked.push(prompt);
          return Promise.resolve(serializePlan(repaired));
        },
      });
      expect(manager.plan).toEqual(repaired);
      expect(asked).toHaveLength(1);
      expect(asked[0]).toContain('KEEP this');
      expect(await readFile(`${file}.broken-2026-01-07T10:23:21.000Z`, 'utf8')).toBe('KEEP this');
    });

    test.each([
      ['gives no answer', undefined],
      ['answers with nonsense', 'sorry'],
    ])('falls back to an empty plan when the model %s', async (_, answer) => {
      await writeFile(file, 'KEEP this');
      const manager = await PlanManager.open({ file, clock, repair: () => Promise.resolve(answer) });
      expect(manager.plan.goal).toBe('');
      expect(await readFile(`${file}.broken-2026-01-07T10:23:21.000Z`, 'utf8')).toBe('KEEP this');
    });

    test('masks secrets before anything is written', async () => {
      const maskDeep = <T>(value: T) => JSON.parse(JSON.stringify(value).replaceAll('hunter2', '****')) as T;
      const manager = await PlanManager.open({ file, clock, maskDeep, initial: { goal: 'use hunter2' } });
      expect(manager.plan.goal).toBe('use hunter2');
      expect(await readFile(file, 'utf8')).not.toContain('hunter2');
    });

    test('goes on in memory when the disk fails, and says so', async () => {
      const logger = keptLog();
      const manager = await PlanManager.open({ file: join(folder, 'gone', 'plan_doc.md'), clock, logger });
      expect(manager.update({ goal: 'on' })).toContain('Plan planning');
      expect(manager.plan.goal).toBe('on');
      expect(logger.shown.map(({ code }) => code)).toEqual(['plan_not_written']);
    });

    const summary = (result: string, details = '') => ({
      log_entry: { action: 'Looked', details, result, tools_used: [] },
      acceptance_criteria_updates: [],
      decisions_made: [],
    });

    test('takes steps once, and the state of each', async () => {
      const manager = await PlanManager.open({ file, clock });
      manager.markStep(0, { completed: true });
      manager.begin(['read', 'write']);
      manager.begin(['other']);
      manager.markStep(0, { completed: true });
      manager.markStep(1, { completed: false, notes: 'no rights' });
      manager.markStep(2, { completed: true });
      manager.setStatus('failed');
      expect(manager.plan).toMatchObject({
        status: 'failed',
        steps: [
          { description: 'read', completed: true },
          { description: 'write', completed: false, notes: 'no rights' },
        ],
        metadata: { updatedAt: clock.now(), version: 5 },
      });
      expect(await onDisk()).toEqual({ success: true, plan: manager.plan });
    });

    test('is being worked on as soon as it has steps', async () => {
      const manager = await PlanManager.open({ clock, initial: { goal: 'g' } });
      manager.begin(['read']);
      expect(manager.plan).toMatchObject({
        status: 'in_progress',
        goal: 'g',
        steps: [{ description: 'read', completed: false }],
      });
    });

    test('tells each change once, also where it is made again after a crash', async () => {
      const heard: string[] = [];
      const manager = await PlanManager.open({ clock, onChange: ({ status }) => heard.push(status) });
      manager.setStatus('blocked');
      manager.setStatus('blocked');
      expect(heard).toEqual(['blocked']);
      expect(manager.plan.metadata.version).toBe(2);
    });

    test('logs a summary once, and another one beside it', async () => {
      const manager = await PlanManager.open({ clock });
      for (const each of [summary('ok'), summary('ok'), summary('ok', 'why'), summary('ok', 'why')])
        manager.addSummary(each);
      expect(manager.plan.executionLog.map(({ result }) => result)).toEqual(['ok', 'why\nok']);
      expect(manager.plan.executionLog[0]?.timestamp).toBe(clock.now());
    });

    test.each([
      ['that is a folder', () => mkdir(file), /unreadable|EISDIR/],
      ['that is too long', () => writeFile(file, '#'.repeat(MAX_PLAN_CHARS + 1)), /longer than/],
    ])('keeps a document %s beside and begins a new one', async (_, make, why) => {
      await make();
      const logger = keptLog();
      const manager = await PlanManager.open({ file, clock, logger });
      const kept = `${file}.broken-2026-01-07T10:23:21.000Z`;
      expect(logger.lines).toEqual([
        { level: 'warn', message: expect.stringMatching(why), file, kept, repaired: false },
      ]);
      expect(existsSync(kept)).toBe(true);
      expect(await onDisk()).toEqual({ success: true, plan: manager.plan });
    });

    test('shows the model the beginning of a long document that is broken', async () => {
      await writeFile(file, `KEEP ${'x'.repeat(100_000)}END`);
      const asked: string[] = [];
      const repair = (prompt: string) => {
        asked.push(prompt);
        return Promise.resolve('## Goal\nKEEP');
      };
      const logger = keptLog();
      const manager = await PlanManager.open({ file, clock, repair, logger });
      expect(asked[0]?.length).toBeLessThan(30_000);
      expect(logger.lines).toMatchObject([{ repaired: true }]);
      // Times that the answer does not tell are the present.
      expect(manager.plan).toMatchObject({ goal: 'KEEP', metadata: { createdAt: clock.now() } });
    });

    test('takes the present for times that a document does not tell', async () => {
      await writeFile(file, '## Goal\ng');
      expect((await PlanManager.open({ file, clock })).plan.metadata.createdAt).toBe(clock.now());
    });

    test('only its owner reads the document', async () => {
      await PlanManager.open({ file, clock });
      expect((await stat(file)).mode & 0o777).toBe(0o600);
    });

    test('complains once of a disk that fails, and again when it fails anew', async () => {
      const logger = keptLog();
      const place = join(folder, 'gone');
      const manager = await PlanManager.open({ file: join(place, 'plan_doc.md'), clock, logger });
      manager.setStatus('blocked');
      expect(logger.lines).toMatchObject([{ level: 'warn', file: join(place, 'plan_doc.md') }]);
      await mkdir(place);
      manager.setStatus('in_progress');
      expect(logger.lines).toHaveLength(1);
      await rm(place, { recursive: true });
      manager.setStatus('failed');
      expect(logger.lines).toHaveLength(2);
    });

    test('carries the last ten entries of the log in prompts', async () => {
      const manager = await PlanManager.open({ file, clock });
      for (let step = 1; step <= 12; step++) {
        manager.addSummary({
          log_entry: { action: `step ${step}.`, details: '', result: 'ok', tools_used: [] },
          acceptance_criteria_updates: [],
          decisions_made: [],
        });
      }
      expect(manager.textForPrompt()).not.toContain('step 2.');
      expect(manager.textForPrompt()).toContain('step 3.');
      expect(manager.plan.executionLog).toHaveLength(12);
    });
  });
});

const step = { description: 'Read a.txt', critical: true };

test.each<[string, unknown, object[]]>([
  ['a list in its place', { task_list: [{ step: 1, description: ' Read a.txt ' }] }, [step]],
  ['a bare list', [{ description: 'Read a.txt' }], [step]],
  ['steps that are only texts', [' Read a.txt\n'], [step]],
  ['a step that may fail', [{ description: 'Read a.txt', critical: false }], [{ ...step, critical: false }]],
  ['a flag as text', [{ description: 'Read a.txt', critical: 'no' }], [{ ...step, critical: false }]],
  [
    'hints',
    [{ description: 'Read a.txt', tool: ' read_file ', params: { file_path: 'a.txt' } }],
    [{ ...step, tool: 'read_file', params: { file_path: 'a.txt' } }],
  ],
  ['hints that are none', [{ description: 'Read a.txt', tool: ' ', params: [1], critical: 7 }], [step]],
  [
    'hints that are left out',
    [{ description: 'Read a.txt', tool: null, params: null, critical: null }],
    [step],
  ],
  ['a long step', ['x'.repeat(3_000)], [{ description: 'x'.repeat(2_000), critical: true }]],
  [
    'as many steps as there may be',
    Array.from({ length: MAX_STEPS }, () => 'Read a.txt'),
    Array.from({ length: MAX_STEPS }, () => step),
  ],
])('%s is read', (_, written, steps) => {
  expect(taskListSchema.parse(written)).toEqual(steps);
});

test.each<[string, unknown]>([
  ['no steps', { task_list: [] }],
  ['too many steps', Array.from({ length: MAX_STEPS + 1 }, () => 'Read a.txt')],
  ['an empty step', ['  ']],
  ['a step without a description', [{ step: 1 }]],
  ['prose', 'First I read a.txt'],
  ['nothing', undefined],
])('%s is refused', (_, written) => {
  expect(taskListSchema.safeParse(written).success).toBe(false);
});

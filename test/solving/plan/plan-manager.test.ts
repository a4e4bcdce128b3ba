import { mkdir, readdir, readFile, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from '@jest/globals';
import { PlanManager, type PlanManagerOptions } from '../../../sidecar/solving/plan/plan-manager.ts';
import { serializePlan } from '../../../sidecar/solving/plan/serialize.ts';
import { MAX_STEPS, taskListSchema } from '../../../sidecar/solving/plan/task-list.ts';
import { keptLog } from '../../support/kept-log.ts';
import { tempFolders } from '../../support/temp-folder.ts';

describe('the plan manager', () => {
  const newFolder = tempFolders();
  let folder: string;
  let file: string;
  const clock = { now: () => Date.parse('2026-01-07T10:23:21.000Z') };
  const opened = (options: Partial<PlanManagerOptions> = {}) =>
    new PlanManager({ clock, goal: '', criteria: [], ...options });
  const onDisk = () => readFile(file, 'utf8');

  beforeEach(() => {
    folder = newFolder();
    file = join(folder, 'plan_doc.md');
  });

  test('begins with a new plan from the task and writes it', async () => {
    const manager = opened({ file, goal: 'g', criteria: ['c'] });
    expect(manager.plan).toMatchObject({
      goal: 'g',
      acceptanceCriteria: [{ description: 'c', completed: false }],
    });
    expect(await onDisk()).toBe(serializePlan(manager.plan));
  });

  test('writes each update and leaves no temporary file', async () => {
    const manager = opened({ file, criteria: ['c'] });
    expect(manager.update({ criteria_completed: ['c'], status: 'completed' })).toMatch(
      /^Plan completed: 1 of 1/,
    );
    expect(await onDisk()).toBe(serializePlan(manager.plan));
    expect(await readdir(folder)).toEqual(['plan_doc.md']);
  });

  test('masks secrets before anything is written', async () => {
    const maskDeep = <T>(value: T) => JSON.parse(JSON.stringify(value).replaceAll('hunter2', '****')) as T;
    const manager = opened({ file, maskDeep, goal: 'use hunter2' });
    expect(manager.plan.goal).toBe('use hunter2');
    expect(await readFile(file, 'utf8')).not.toContain('hunter2');
  });

  test('goes on in memory when the disk fails, and says so', async () => {
    const logger = keptLog();
    const manager = opened({ file: join(folder, 'gone', 'plan_doc.md'), logger });
    expect(manager.update({ goal: 'on' })).toContain('Plan planning');
    expect(manager.plan.goal).toBe('on');
    expect(logger.shown.map(({ code }) => code)).toEqual(['plan_not_written']);
  });

  const summary = (result: string, details = '') => ({
    log_entry: { action: 'Looked', details, result, tools_used: [] },
    acceptance_criteria_updates: [],
    decisions_made: [],
  });

  test('takes steps, and the state of each', async () => {
    const manager = opened({ file });
    manager.markStep(0, { completed: true });
    manager.setSteps(['read', 'write']);
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
    });
    expect(await onDisk()).toBe(serializePlan(manager.plan));
  });

  test('is being worked on as soon as it has steps', async () => {
    const manager = opened({ goal: 'g' });
    manager.setSteps(['read']);
    expect(manager.plan).toMatchObject({
      status: 'in_progress',
      goal: 'g',
      steps: [{ description: 'read', completed: false }],
    });
  });

  test('tells each change once', async () => {
    const heard: string[] = [];
    const manager = opened({ onChange: ({ status }) => heard.push(status) });
    manager.setStatus('blocked');
    manager.setStatus('blocked');
    expect(heard).toEqual(['blocked']);
  });

  test('logs a summary', () => {
    const manager = opened();
    manager.addSummary(summary('ok', 'why'));
    expect(manager.plan.executionLog).toMatchObject([{ result: 'why\nok', timestamp: clock.now() }]);
  });

  test('only its owner reads the document', async () => {
    opened({ file });
    expect((await stat(file)).mode & 0o777).toBe(0o600);
  });

  test('complains once of a disk that fails, and again when it fails anew', async () => {
    const logger = keptLog();
    const place = join(folder, 'gone');
    const manager = opened({ file: join(place, 'plan_doc.md'), logger });
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
    const manager = opened({ file });
    for (let step = 1; step <= 12; step++) {
      manager.addSummary({
        log_entry: { action: `step ${step}.`, details: '', result: 'ok', tools_used: [] },
        acceptance_criteria_updates: [],
        decisions_made: [],
      });
    }
    expect(manager.formatForPrompt()).not.toContain('step 2.');
    expect(manager.formatForPrompt()).toContain('step 3.');
    expect(manager.plan.executionLog).toHaveLength(12);
  });
});

const step = { description: 'Read a.txt', critical: true };

const list = (...steps: unknown[]) => ({ task_list: steps });

test.each<[string, unknown, object[]]>([
  ['a step', list({ step: 1, description: ' Read a.txt ' }), [step]],
  [
    'a step that may fail',
    list({ description: 'Read a.txt', critical: false }),
    [{ ...step, critical: false }],
  ],
  [
    'hints',
    list({ description: 'Read a.txt', tool: ' read_file ', params: { file_path: 'a.txt' } }),
    [{ ...step, tool: 'read_file', params: { file_path: 'a.txt' } }],
  ],
  ['an empty hint', list({ description: 'Read a.txt', tool: ' ' }), [step]],
  [
    'a long step',
    list({ description: 'x'.repeat(3_000) }),
    [{ description: 'x'.repeat(2_000), critical: true }],
  ],
  [
    'as many steps as there may be',
    list(...Array.from({ length: MAX_STEPS }, () => ({ description: 'Read a.txt' }))),
    Array.from({ length: MAX_STEPS }, () => step),
  ],
])('%s is read', (_, written, steps) => {
  expect(taskListSchema.parse(written)).toEqual(steps);
});

test.each<[string, unknown]>([
  ['no steps', list()],
  ['a list without its key', [{ description: 'Read a.txt' }]],
  ['steps that are only texts', list('Read a.txt')],
  ['too many steps', list(...Array.from({ length: MAX_STEPS + 1 }, () => ({ description: 'Read a.txt' })))],
  ['an empty step', list({ description: '  ' })],
  ['a step without a description', list({ step: 1 })],
  ['prose', 'First I read a.txt'],
  ['nothing', undefined],
])('%s is refused', (_, written) => {
  expect(taskListSchema.safeParse(written).success).toBe(false);
});

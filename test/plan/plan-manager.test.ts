import { readFile, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from '@jest/globals';
import { parsePlan } from '../../sidecar/plan/parse.ts';
import { PlanManager } from '../../sidecar/plan/plan-manager.ts';
import { emptyPlan } from '../../sidecar/plan/plan.ts';
import { serializePlan } from '../../sidecar/plan/serialize.ts';
import { keptLog } from '../support/kept-log.ts';
import { tempFolders } from '../support/temp-folder.ts';

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

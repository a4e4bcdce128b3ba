import { describe, expect, test } from '@jest/globals';
import { emptyPlan } from '../../sidecar/plan/plan.ts';
import { applySummary, applyUpdate, stageSummarySchema } from '../../sidecar/plan/update.ts';

const plan = emptyPlan({ nowMs: 1_000, goal: 'Fix it', criteria: ['Tests pass', 'Docs are right'] });

describe('update_plan', () => {
  test('marks criteria done by their text, a part of it or their number', () => {
    for (const name of ['Tests pass', ' tests  PASS ', 'tests', '1', '#1', 'All Tests pass now']) {
      const { plan: changed } = applyUpdate(plan, { criteria_completed: [name] }, { nowMs: 2_000 });
      expect(changed.acceptanceCriteria.map(({ completed }) => completed)).toEqual([true, false]);
    }
  });

  test('tells what it did not find, and what is open', () => {
    expect(applyUpdate(plan, { criteria_completed: ['deploy'] }, { nowMs: 2_000 }).summary).toBe(
      'Plan planning: 0 of 2 criteria done, 0 decisions made, 0 rejected; open: 1. Tests pass, 2. Docs are right; no criterion like "deploy"',
    );
  });

  test('adds criteria and decisions and never takes one out', () => {
    const { plan: changed, summary } = applyUpdate(
      plan,
      {
        status: 'in_progress',
        acceptance_criteria: ['docs are right', 'No new dependencies'],
        decisions_made: [{ title: 'Use tabs', rationale: 'house style' }, { title: 'use tabs' }],
        decisions_rejected: [{ title: 'Spaces', alternatives: ['tabs'] }],
      },
      { nowMs: 2_000 },
    );
    expect(changed.acceptanceCriteria.map(({ description }) => description)).toEqual([
      'Tests pass',
      'Docs are right',
      'No new dependencies',
    ]);
    expect(changed.decisionsMade[0]).toEqual({
      title: 'Use tabs',
      rationale: 'house style',
      timestamp: 2_000,
    });
    expect(changed.decisionsRejected).toEqual([
      { title: 'Spaces', rationale: '', alternatives: ['tabs'], timestamp: 2_000 },
    ]);
    expect(changed.metadata).toEqual({ createdAt: 1_000, updatedAt: 2_000, version: 2 });
    expect(summary).toMatch(/^Plan in_progress: 0 of 3 criteria done/);
  });

  test('leaves the plan that was given as it is', () => {
    const before = structuredClone(plan);
    applyUpdate(plan, { goal: 'Other', criteria_completed: ['1'] }, { nowMs: 2_000 });
    expect(plan).toEqual(before);
  });
});

describe("a stage's summary", () => {
  test('goes into the log, the criteria and the decisions', () => {
    const summary = stageSummarySchema.parse({
      log_entry: {
        action: 'Fixed add()',
        details: 'wrong sign',
        result: 'tests pass',
        tools_used: ['edit_file'],
      },
      acceptance_criteria_updates: [
        { description: 'Tests pass', completed: true, notes: '12 of 12' },
        'Docs are right',
      ],
      decisions_made: ['Kept the API'],
    });
    const changed = applySummary(plan, summary, { nowMs: 3_000 });
    expect(changed.executionLog).toEqual([
      { timestamp: 3_000, action: 'Fixed add()', result: 'wrong sign\ntests pass', toolsUsed: ['edit_file'] },
    ]);
    expect(changed.acceptanceCriteria).toEqual([
      { description: 'Tests pass', completed: true, notes: '12 of 12' },
      { description: 'Docs are right', completed: true },
    ]);
    expect(changed.decisionsMade[0]?.title).toBe('Kept the API');
  });
});

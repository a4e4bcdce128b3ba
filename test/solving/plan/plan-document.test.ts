import { describe, expect, test } from '@jest/globals';
import { createPlan, type Plan } from '../../../sidecar/solving/plan/plan.ts';
import { serializePlan } from '../../../sidecar/solving/plan/serialize.ts';
import { applySummary, applyUpdate, stageSummarySchema } from '../../../sidecar/solving/plan/update.ts';

const at = (iso: string) => Date.parse(iso);

const plan: Plan = {
  status: 'in_progress',
  goal: 'Make the cart right\n\nTotals are rounded twice.',
  acceptanceCriteria: [
    { description: 'Totals are right', completed: true, notes: 'see #12' },
    { description: 'No new dependencies', completed: false },
  ],
  decisionsMade: [
    {
      title: 'Round once',
      rationale: 'Twice loses cents',
      alternatives: ['integers, everywhere', 'big.js'],
      timestamp: at('2026-01-07T10:23:21.123Z'),
    },
  ],
  decisionsRejected: [{ title: 'Floats', rationale: '- inexact', timestamp: at('2026-01-07T10:24:00.000Z') }],
  executionLog: [
    {
      timestamp: at('2026-01-07T10:25:00.001Z'),
      action: 'Changed tax.js',
      result: 'ok\n3 tests pass',
      toolsUsed: ['edit_file', 'shell'],
    },
  ],
};

describe('the plan document', () => {
  test('reads as Markdown', () => {
    expect(serializePlan(plan)).toBe(`# Plan: Make the cart right

**Status:** in_progress

## Goal
Make the cart right

Totals are rounded twice.

## Acceptance Criteria
- [x] Totals are right *(see #12)*
- [ ] No new dependencies

## Decisions Made
### Round once
**Rationale:** Twice loses cents
**Alternatives considered:** integers, everywhere, big.js
**Decided:** 2026-01-07T10:23:21.123Z

## Decisions Rejected
### Floats
**Rationale:** - inexact
**Rejected:** 2026-01-07T10:24:00.000Z

## Execution Log
### 2026-01-07T10:25:00.001Z - Changed tax.js
**Tools:** edit_file, shell
**Result:** ok
  3 tests pass
`);
  });

  test('holds placeholders where a section is empty', () => {
    const text = serializePlan(createPlan('', []));
    for (const line of ['## Goal\n[No goal yet]', '## Decisions Made\n[No decisions yet]'])
      expect(text).toContain(`${line}\n`);
  });

  test('keeps a text of several lines below its beginning, and a heading in one line', () => {
    const text = serializePlan({
      ...plan,
      goal: `${'x'.repeat(200)}\nmore`,
      steps: [{ description: 'a\n# b', completed: false, notes: 'c\nd' }],
      decisionsMade: [{ title: 'a\n## b', rationale: '', timestamp: 0 }],
    });
    expect(text).toContain(`# Plan: ${'x'.repeat(119)}…\n`);
    expect(text).toContain('- [ ] a\n  # b *(c\n  d)*\n');
    expect(text).toContain('### a ## b\n**Rationale:**\n**Decided:** 1970-01-01T00:00:00.000Z\n');
  });
});

describe('update', () => {
  const plan = createPlan('Fix it', ['Tests pass', 'Docs are right']);

  describe('update_plan', () => {
    test('marks criteria done by their text, a part of it or their number', () => {
      for (const name of ['Tests pass', ' tests  PASS ', 'tests', '1', '#1', 'All Tests pass now']) {
        const { plan: changed } = applyUpdate(plan, { criteria_completed: [name] }, 2_000);
        expect(changed.acceptanceCriteria.map(({ completed }) => completed)).toEqual([true, false]);
      }
    });

    test('tells what it did not find, and what is open', () => {
      expect(applyUpdate(plan, { criteria_completed: ['deploy'] }, 2_000).summary).toBe(
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
        2_000,
      );
      expect(changed.acceptanceCriteria.map(({ description }) => description)).toEqual([
        'Tests pass',
        'Docs are right',
        'No new dependencies',
      ]);
      expect(changed.decisionsMade).toEqual([
        { title: 'Use tabs', rationale: 'house style', timestamp: 2_000 },
      ]);
      expect(changed.decisionsRejected).toEqual([
        { title: 'Spaces', rationale: '', alternatives: ['tabs'], timestamp: 2_000 },
      ]);
      expect(summary).toMatch(/^Plan in_progress: 0 of 3 criteria done/);
    });

    test('says a criterion or a decision once, however its words are spaced', () => {
      const known = applyUpdate(plan, { decisions_made: [{ title: 'Use tabs' }] }, 2_000).plan;
      const args = {
        acceptance_criteria: ['TESTS  pass '],
        decisions_made: [{ title: 'use  tabs' }, { title: 'Spaces' }],
      };
      const { plan: changed } = applyUpdate(known, args, 3_000);
      expect(changed.acceptanceCriteria).toHaveLength(2);
      expect(changed.decisionsMade.map(({ title }) => title)).toEqual(['Use tabs', 'Spaces']);
    });

    test.each([
      ['a name that fits several', ['s'], 'no criterion like "s"'],
      ['no name', ['  '], 'no criterion like "  "'],
      ['a number that is none', ['3'], 'no criterion like "3"'],
      ['a number in a sentence', ['2 of 3'], 'no criterion like "2 of 3"'],
      ['a long name', ['x'.repeat(100)], `no criterion like "${'x'.repeat(80)}"`],
    ])('marks nothing for %s', (_, names, said) => {
      const { plan: changed, summary } = applyUpdate(plan, { criteria_completed: names }, 2_000);
      expect(changed.acceptanceCriteria).toEqual(plan.acceptanceCriteria);
      expect(summary.endsWith(`; ${said}`)).toBe(true);
    });

    test.each([
      ['#12.', ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h', 'i', 'j', 'k', 'l'], 11],
      ['b is done', ['', 'b', 'c'], 1],
      ['2', ['1', '2 or more', '2'], 2],
      ['tests pass', ['Tests pass', 'All tests pass'], 0],
    ])('"%s" of %j is number %i, from 0', (name, criteria, index) => {
      const { plan: changed } = applyUpdate(createPlan('', criteria), { criteria_completed: [name] }, 2_000);
      expect(changed.acceptanceCriteria.map(({ completed }) => completed)).toEqual(
        criteria.map((_, at) => at === index),
      );
    });

    test('bounds what a model writes: texts, lists, and the line that says what is open', () => {
      const many = Array.from({ length: 300 }, (_, index) => `${index} ${'x '.repeat(3_000)}`);
      const args = { acceptance_criteria: many, decisions_made: many.map((title) => ({ title })) };
      const { plan: changed, summary } = applyUpdate(plan, args, 2_000);
      expect([changed.acceptanceCriteria.length, changed.decisionsMade.length]).toEqual([200, 200]);
      expect(changed.acceptanceCriteria[5]?.description).toHaveLength(4_000);
      expect(summary.length).toBeLessThan(1_100);
      expect(summary).toContain(', 10. 7 x x');
      expect(summary).not.toContain(', 11. ');
    });

    test('says in one line when all is done', () => {
      const args = { criteria_completed: ['1', '2'], decisions_made: [{ title: 'One' }] };
      expect(applyUpdate(plan, { ...args, status: 'completed' }, 2_000).summary).toBe(
        'Plan completed: 2 of 2 criteria done, 1 decision made, 0 rejected',
      );
    });

    test('puts a criterion of several lines into one', () => {
      const open = createPlan('', ['a\n   b']);
      expect(applyUpdate(open, {}, 2_000).summary).toMatch(/; open: 1\. a b$/);
    });

    test('leaves the plan that was given as it is', () => {
      const before = structuredClone(plan);
      applyUpdate(plan, { goal: 'Other', criteria_completed: ['1'] }, 2_000);
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
          { description: 'Docs are right' },
        ],
        decisions_made: [{ title: 'Kept the API' }],
      });
      const changed = applySummary(plan, summary, 3_000);
      expect(changed.executionLog).toEqual([
        {
          timestamp: 3_000,
          action: 'Fixed add()',
          result: 'wrong sign\ntests pass',
          toolsUsed: ['edit_file'],
        },
      ]);
      expect(changed.acceptanceCriteria).toEqual([
        { description: 'Tests pass', completed: true, notes: '12 of 12' },
        { description: 'Docs are right', completed: true },
      ]);
      expect(changed.decisionsMade[0]?.title).toBe('Kept the API');
    });

    test('may leave out everything but what was done', () => {
      const summary = stageSummarySchema.parse({
        log_entry: { action: 'Looked', result: 'nothing to do' },
        acceptance_criteria_updates: [{ description: '1' }],
      });
      const changed = applySummary(plan, summary, 3_000);
      expect(changed.executionLog).toEqual([
        { timestamp: 3_000, action: 'Looked', result: 'nothing to do', toolsUsed: [] },
      ]);
      expect(changed.acceptanceCriteria[0]?.completed).toBe(true);
      const less = stageSummarySchema.parse({ log_entry: { action: 'Looked' } });
      expect(applySummary(plan, less, 3_000).acceptanceCriteria).toEqual(plan.acceptanceCriteria);
    });
  });
});

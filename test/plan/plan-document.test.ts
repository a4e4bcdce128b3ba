import { describe, expect, test } from '@jest/globals';
import * as fc from '../support/properties.ts';
import { planStatuses } from '../../sidecar/plan/plan.ts';
import type { Plan } from '../../sidecar/plan/plan.ts';
import { parsePlan } from '../../sidecar/plan/parse.ts';
import { serializePlan } from '../../sidecar/plan/serialize.ts';
import { scaled } from '../support/scale.ts';

const numRuns = scaled({ quick: 500, full: 10_000 });
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
  metadata: {
    createdAt: at('2026-01-07T10:23:00.000Z'),
    updatedAt: at('2026-01-07T10:25:00.001Z'),
    version: 3,
  },
};

// prettier-ignore
const fragments = fc.constantFrom(
  '\n', '\n\n', '\r\n', '\r', '#', '## Goal', '### x', '*', '**Rationale:** y', '>', '---', ',', ', ', ':', '\\',
  '\\n', '\\e', '\\u{41}', ' ', '  ', '\t', '- [x] z', '*(', ')*', '(', ')', '[', ']', '[No goal yet]', '`', '```',
  '\u00A0', '\u2028', '\uFEFF', '\u0000', '\uD800', '\uDC00', '語', '🦙', 'e\u0301', '…', 'None', '- ', '1. ',
);
const anyText = fc.oneof(
  fc.constant(''),
  fc.string({ unit: 'grapheme', maxLength: 30 }),
  fc.string({ unit: 'binary', maxLength: 12 }),
  fc
    .array(fc.oneof(fragments, fc.string({ maxLength: 6 })), { maxLength: 12 })
    .map((parts) => parts.join('')),
);
const anyTime = fc.oneof(
  fc.integer({ min: at('1970-01-01T00:00:00Z'), max: at('2100-01-01T00:00:00Z') }),
  fc.integer({ min: -8_640_000_000_000_000, max: 8_640_000_000_000_000 }),
);
const plain = { noNullPrototype: true } as const;
const list = <T>(item: fc.Arbitrary<T>) => fc.array(item, { maxLength: 4 });
const anyDecision = fc.record(
  { title: anyText, rationale: anyText, alternatives: list(anyText), timestamp: anyTime },
  { requiredKeys: ['title', 'rationale', 'timestamp'], ...plain },
);
const anyCriterion = fc.record(
  { description: anyText, completed: fc.boolean(), notes: anyText },
  { requiredKeys: ['description', 'completed'], ...plain },
);
const PARTS = [
  'status',
  'goal',
  'acceptanceCriteria',
  'decisionsMade',
  'decisionsRejected',
  'executionLog',
  'metadata',
] as const;
const anyPlan: fc.Arbitrary<Plan> = fc.record(
  {
    status: fc.constantFrom(...planStatuses),
    goal: anyText,
    acceptanceCriteria: list(anyCriterion),
    steps: list(anyCriterion),
    decisionsMade: list(anyDecision),
    decisionsRejected: list(anyDecision),
    executionLog: list(
      fc.record({ timestamp: anyTime, action: anyText, result: anyText, toolsUsed: list(anyText) }, plain),
    ),
    metadata: fc.record({ createdAt: anyTime, updatedAt: anyTime, version: fc.nat() }, plain),
  },
  { requiredKeys: [...PARTS], ...plain },
);

describe('the plan document', () => {
  test('reads as Markdown', () => {
    expect(serializePlan(plan)).toBe(`---
status: in_progress
createdAt: 2026-01-07T10:23:00.000Z
updatedAt: 2026-01-07T10:25:00.001Z
version: 3
---

# Plan: Make the cart right…

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
**Alternatives considered:** integers\\, everywhere, big.js
**Decided:** 2026-01-07T10:23:21.123Z

## Decisions Rejected
### Floats
**Rationale:** \\- inexact
**Rejected:** 2026-01-07T10:24:00.000Z

## Execution Log
### 2026-01-07T10:25:00.001Z - Changed tax.js
**Tools:** edit_file, shell
**Result:** ok
  3 tests pass
`);
  });

  test('holds placeholders where a section is empty, and they read back as empty', () => {
    const empty: Plan = {
      ...plan,
      goal: '',
      acceptanceCriteria: [],
      decisionsMade: [],
      decisionsRejected: [],
      executionLog: [],
    };
    expect(serializePlan(empty)).toContain('## Decisions Made\n[No decisions yet]\n');
    expect(parsePlan(serializePlan(empty))).toEqual({ success: true, plan: empty });
  });

  test('gives back the same plan, whatever its texts', () => {
    fc.assert(
      fc.property(anyPlan, (original) => {
        const text = serializePlan(original);
        expect(parsePlan(text)).toStrictEqual({ success: true, plan: original });
        expect(text).not.toMatch(/[ \t]$/m);
      }),
      { numRuns },
    );
  });

  test('gives back the same plan from a file with Windows line ends', () => {
    fc.assert(
      fc.property(anyPlan, (original) => {
        const text = serializePlan(original).replaceAll('\n', '\r\n');
        expect(parsePlan(text)).toStrictEqual({ success: true, plan: original });
      }),
      { numRuns: numRuns / 10 },
    );
  });
});

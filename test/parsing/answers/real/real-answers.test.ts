/** What models really wrote, read right: where the material lies beside the clone (see material.ts). */
import { describe, expect, test } from '@jest/globals';
import { parseToolCalls } from '../parser.ts';
import { countAgentSteps, shareNotRight } from './agent-steps.ts';
import { readAgentSteps, readModelAnswers, readToolCallCases, sharedFolder } from './material.ts';
import { count, readAnswers } from './model-answers.ts';

const shared = sharedFolder();

if (shared === undefined)
  describe('real answers', () => {
    test.skip('skipped: the material is not there (SHARED_DIR, or shared/ beside the clone)', () =>
      undefined);
  });
else {
  test('the steps of a coding agent: at most 0.05 % lost or invented', () => {
    const counts = countAgentSteps(readAgentSteps(shared), parseToolCalls);
    const faulty = counts.filter(({ right, total }) => right < total);
    expect(shareNotRight(counts) <= 0.0005 ? [] : faulty).toEqual([]);
  });

  // Where prose stands around unmarked calls the strict reader takes announced examples and what follows an explanation
  // for calls, too, and of several lists in a row only the last one.
  test.each([
    ['are calls and nothing else', ['whole'], 0.99],
    ['have marks', ['tagged'], 0.99],
    ['have prose around calls without marks', ['fence+prose', 'bare+prose'], 0.84],
  ] as const)(
    'the answers of many models that %s are read as a strict reader does',
    (_which, kinds, share) => {
      const rows = readModelAnswers(shared).filter(({ reference }) =>
        kinds.some((kind) => reference?.kind === kind),
      );
      const total = count('all', readAnswers(rows, parseToolCalls));
      expect(total.referenced).toBeGreaterThan(100);
      expect(total.same / total.referenced >= share ? undefined : total).toBeUndefined();
    },
  );

  test.each(readToolCallCases(shared).map((each) => [each.id, each] as const))(
    'a call as a model writes it: %s',
    (_, { text, tools, expected }) => {
      const answer = parseToolCalls({ content: text }, { tools });
      expect(answer.type).toBe(expected.type);
      if (expected.calls === undefined || answer.type !== 'tool_calls') return;
      expect(answer.calls.map((call, index) => onlyFieldsOf(expected.calls?.[index] ?? call, call))).toEqual(
        expected.calls,
      );
    },
  );
}

/** The fields of `call` that `wanted` has, since others may be anything. */
function onlyFieldsOf(wanted: object, call: object): object {
  return Object.fromEntries(Object.entries(call).filter(([field]) => Object.hasOwn(wanted, field)));
}

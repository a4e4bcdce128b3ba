import { describe, expect, test } from '@jest/globals';
import { parseToolCalls } from '../../sidecar/answers/parse-answer.ts';
import { familyCases } from './families.cases.ts';

describe('calls written as text by model families', () => {
  test.each(familyCases.map((row) => [row.family, row.title, row] as const))(
    '%s: %s',
    (_family, _title, row) => {
      const answer = parseToolCalls({ role: 'assistant', content: row.text });
      if (answer.type !== 'tool_calls') throw new Error(JSON.stringify(answer));
      const calls = answer.calls.map((call) => ({ ...call, repaired: undefined }));
      expect(calls).toEqual(row.calls);
      expect(answer.layer).toBe(row.layer ?? 'tagged');
      if (row.layer !== 'json') expect(answer.family).toBe(row.family);
      expect(answer.content).toBe(row.content);
    },
  );
});

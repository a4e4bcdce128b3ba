import { describe, expect, test } from '@jest/globals';
import { otherLimits } from '../../../sidecar/execution/drafts/other-limits.ts';
import { answer, draftRuns } from './draft-runs.ts';

const path = 'src/range.js';
const others = (before: string, after: string) =>
  otherLimits([{ path, before, after }]).map(({ line, file }) => ({
    line,
    text: file.after.split('\n')[line - 1],
  }));

describe('the limits beside the one that a change is about', () => {
  test('stand on its line', () =>
    expect(
      others('return a.from <= b.to && b.from <= a.to;', 'return a.from < b.to && b.from <= a.to;'),
    ).toEqual([{ line: 1, text: 'return a.from < b.to && b.from < a.to;' }]));

  test('or near it, with the other sign too', () =>
    expect(
      others(
        'if (x < 3) return a;\n\nif (x > 20) return b;\n',
        'if (x <= 3) return a;\n\nif (x > 20) return b;\n',
      ),
    ).toEqual([{ line: 3, text: 'if (x >= 20) return b;' }]));

  test('keep the ends of their lines', () => {
    const before = 'if (x < 3) y();\r\nif (x > 9) y();\r\n';
    expect(otherLimits([{ path, before, after: before.replace('<', '<=') }])[0]?.file.after).toBe(
      'if (x <= 3) y();\r\nif (x >= 9) y();\r\n',
    );
  });

  test('not those that are right already', () =>
    expect(others('return x >= from && x <= to;', 'return x >= from && x < to;')).toEqual([
      { line: 1, text: 'return x > from && x < to;' },
    ]));

  test('not far away, and at most three', () => {
    const far = `${'\n'.repeat(9)}if (x > 20) return b;`;
    expect(others(`if (x < 3) return a;${far}`, `if (x <= 3) return a;${far}`)).toEqual([]);
    const many = '\nif (x > 1) y();'.repeat(5);
    expect(others(`if (x < 3) return a;${many}`, `if (x <= 3) return a;${many}`)).toHaveLength(3);
  });

  test.each([
    ['arrows, shifts, texts and comments', 'x => x < 3 && y << 2 && "a < b"; // a > b'],
    ['limits that have their end already', 'x < 3 && y <= 2'],
  ])('are not %s', (_what, line) => expect(others(line, line.replace('x < 3', 'x <= 3'))).toEqual([]));

  test.each([
    ['another change', 'x < 3 && x > 1', 'x < 4 && x > 1'],
    ['another direction', 'x < 3 && x > 1', 'x > 3 && x > 1'],
    ['two changes', 'x < 3\nx > 1', 'x <= 3\nx >= 1'],
    ['more lines', 'x < 3 && x > 1', 'x <= 3 && x > 1\n'],
  ])('are none for %s', (_what, before, after) => expect(others(before, after)).toEqual([]));

  test('are none for several files, and for a new one', () => {
    const file = { path, before: 'x < 3 && x > 1', after: 'x <= 3 && x > 1' };
    expect(otherLimits([file])).toHaveLength(1);
    expect(otherLimits([file, file])).toEqual([]);
    expect(otherLimits([{ path, after: 'x < 3' }])).toEqual([]);
    expect(otherLimits([])).toEqual([]);
  });
});

describe('a small change of one limit of two', () => {
  const { run, source, writeSource } = draftRuns();
  const config = { brief: { seconds: 15 }, ollama: { slots: 1 } };
  const wrong =
    "export function add(a, b) {\n  if (a < 0) return 'low';\n  if (a > 9) return 'high';\n  return a + b;\n}\n";
  const step = (call: string, value: string) => ({
    type: 'command_succeeds' as const,
    target: `node -e "import('./src/add.js').then(({ add }) => process.exit(add(${call}) === ${value} ? 0 : 1))"`,
  });
  const draw = (steps: ReturnType<typeof step>[], drafts: number) => {
    writeSource(wrong);
    return run([answer("return 'low';"), answer('return a;')], [], {
      config: { ...config, solving: { strategy: 'drafts' as const, drafts, smallChanges: 20 } },
      task: { description: 'add() refuses the ends of its range, too.', verification_steps: steps },
    });
  };

  test('is partial work where the checks pass with the other one changed, too', async () => {
    const { result, rows } = await draw([step('0, 1', "'low'"), step('1, 2', '3')], 1);
    expect(result).toMatchObject({ status: 'partial', verification_status: 'partial_pass' });
    expect(source()).toBe(wrong.replace('a < 0', 'a <= 0'));
    expect(result.remaining).toEqual([
      'The small change passes the checks, but line 3 may want the same change, and no check tells.',
    ]);
    expect(rows.map(({ text }) => text).join('\n')).toContain(
      'Small change: +1 −1 in src/add.js; all 2 checks pass, but line 3 may want the same change, and no check tells',
    );
  });

  test('is taken where a check tells', async () => {
    const { result } = await draw([step('0, 1', "'low'"), step('9, 1', '10'), step('1, 2', '3')], 1);
    expect(result).toMatchObject({ status: 'success', verification_status: 'verified' });
    expect(source()).toBe(wrong.replace('a < 0', 'a <= 0'));
  });
});

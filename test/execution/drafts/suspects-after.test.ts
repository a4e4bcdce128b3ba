/** The order of suspects once the model has said by its first answer where it looks for the mistake. */
import { expect, test } from '@jest/globals';
import { suspectsAfter } from '../../../sidecar/execution/drafts/suspects-after.ts';
import { suspectsIn } from '../../../sidecar/execution/drafts/suspects.ts';

const path = 'rows.py';
const CODE = `def count(row):
    total = len(row)
    return total


def effect(token):
    number = int(token[1:])
    return number


def check(row):
    found = count(row)
    return found + effect(row[0])
`;
const files = [{ path, text: CODE }];

async function orderAfter(after: string | undefined) {
  const found = await suspectsIn({ files, task: 'check counts wrong.', failures: '', tests: [] });
  const answered = after === undefined ? [] : [{ path, before: CODE, after }];
  const { functions, lines } = suspectsAfter({ ...found, files }, answered);
  return { functions: functions.map(({ name }) => name), lines: lines.map(({ line }) => line) };
}

test('functions that the answer changes come first, and their lines', async () => {
  const before = await orderAfter(undefined);
  expect(before.functions).toEqual(['check', 'count', 'effect']);
  const { functions, lines } = await orderAfter(CODE.replace('[1:]', '[2:]'));
  expect(functions).toEqual(['effect', 'check', 'count']);
  expect(lines.slice(0, 2)).toEqual([7, 8]);
  expect(new Set(lines)).toEqual(new Set(before.lines));
});

test('an answer that changes none of them changes no order', async () => {
  expect(await orderAfter(`${CODE}\n\ndef more():\n    return 1\n`)).toEqual(await orderAfter(undefined));
});

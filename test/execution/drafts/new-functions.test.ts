/** Which functions a task wants written that no file has, and how their declarations begin. */
import { expect, test } from '@jest/globals';
import { newFunctions } from '../../../sidecar/execution/drafts/new-functions.ts';

const FILES = [
  { path: 'src/names.js', text: 'export const fullName = (a, b) => `${a} ${b}`;\n' },
  { path: 'src/bus.ts', text: 'export class Bus {\n  on(name: string) {\n    return name;\n  }\n}\n' },
  { path: 'lib/old.cjs', text: 'function low(a) {\n  return a;\n}\nmodule.exports = { low };\n' },
  { path: 'tree.py', text: 'def children(people, name):\n    return []\n' },
];
const wanted = (
  task: string,
  {
    files = FILES,
    mayChange = () => true,
  }: { files?: typeof FILES; mayChange?: (path: string) => boolean } = {},
) => newFunctions(task, files, mayChange);

test.each([
  [
    'in the file that exists',
    'Please write ancestors(people, name, generations=None) in tree.py: all of them, parents first.',
    {
      path: 'tree.py',
      name: 'ancestors',
      head: 'def ancestors(people, name, generations=None):\n',
      isAll: true,
    },
  ],
  [
    'in a new one',
    'Write `src/order.mjs` with buildOrder(packages), and use it in src/names.js.',
    {
      path: 'src/order.mjs',
      name: 'buildOrder',
      head: 'export function buildOrder(packages) {\n',
      isAll: false,
    },
  ],
  [
    'by the end of its path',
    'Add initials(name) to names.js.',
    { path: 'src/names.js', name: 'initials', head: 'export function initials(name) {\n', isAll: true },
  ],
  [
    'with the parameters left to the model where they need types',
    'Add a function shorten(text, limit) to src/text.ts.',
    { path: 'src/text.ts', name: 'shorten', head: 'export function shorten(', isAll: true },
  ],
])('%s', async (_what, task, one) => {
  expect(await wanted(task, { files: FILES.filter(({ path }) => path !== 'lib/old.cjs') })).toEqual([one]);
});

test('without export where modules are CommonJS', async () => {
  expect(await wanted('Add high(a) to lib/old.cjs.')).toEqual([
    { path: 'lib/old.cjs', name: 'high', head: 'function high(a) {\n', isAll: true },
  ]);
});

test.each([
  ['that is there already', 'Write children(people, name) in tree.py so that it sorts.'],
  ['that is only called with values', "Add a case to tree.py: ancestors('Mia') is empty."],
  ['that belongs into a class', 'Add once(name, listener) to the Bus in src/bus.ts.'],
  ['without a file', 'Add ancestors(people, name).'],
  ['of a language whose declarations say more', 'Add Gaps(shifts) to roster.go.'],
  ['that nobody wants made', 'In tree.py the result of sorted(people) is wrong.'],
  ['of another object', 'Add a call of people.find(name) to tree.py.'],
])('none %s', async (_what, task) => {
  expect(await wanted(task)).toEqual([]);
});

test('none in a file that stays as it is', async () => {
  expect(await wanted('Write ancestors(people, name) in tree.py.', { mayChange: () => false })).toEqual([]);
});

test('two at most', async () => {
  const found = await wanted('Add one(a), two(a) and three(a) to tree.py.');
  expect(found.map(({ name }) => name)).toEqual(['one', 'two']);
});

/** What the page says of failed tasks. */
import { readFileSync } from 'node:fs';
import { expect, test } from '@jest/globals';
import type { Json } from './hub-fixture.ts';

const root = new URL('../../', import.meta.url);
const load = async (): Promise<Json> => import(new URL('sidecar/hub/dashboard/page/advice.js', root).href);

/** Rows `| code | means | do |` of the sections that tasks fail with. */
function documented(): Record<string, string[]> {
  const text = readFileSync(new URL('docs/ERRORS.md', root), 'utf8');
  const sections = text
    .split(/^## /mu)
    .filter((part) => /^(State folder|Model server|Workspace|Tasks)\n/u.test(part));
  const rows = sections
    .flatMap((part) => part.split('\n'))
    .flatMap((line) => {
      const [, code, means, todo, end] = line.split('|').map((cell) => cell.trim());
      return end === '' && /^`\w+`$/u.test(code ?? '')
        ? [[code, means, todo].map((cell) => plain(cell ?? ''))]
        : [];
    });
  return Object.fromEntries(rows.map(([code = '', ...rest]) => [code, rest]));
}

const plain = (cell: string): string => cell.replaceAll(/\[([^\]]+)\]\([^)]*\)/gu, '$1').replaceAll('`', '');

test('every code of a failed task is explained as the documentation explains it', async () => {
  const { advice } = await load();
  expect(advice).toEqual(documented());
});

test('an error is explained by its code, wherever it stands, else by why the work ended', async () => {
  const { explain } = await load();
  expect(explain('model_not_found: no x')).toMatchObject({
    code: 'model_not_found',
    todo: expect.any(String),
  });
  expect(explain('model_error after 2 iterations: model_timeout: slow')).toMatchObject({
    code: 'model_timeout',
  });
  expect(explain('stall after 1 iteration: nothing')).toEqual({
    code: 'stall',
    means: 'The model got no further.',
  });
  for (const error of [
    '',
    'x',
    'toString: x',
    '__proto__ after 1 iterations: constructor: x',
    'what: ever',
  ]) {
    expect(explain(error)).toEqual({});
  }
});

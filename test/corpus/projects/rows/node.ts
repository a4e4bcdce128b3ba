/** Projects of JavaScript and TypeScript, made by the generators that their makers tell people to use. */
import { fromNpm, type Project } from '../project.ts';

const COUNTER = 'export const next = (count: number): number => count + 1;\n';
const COUNTER_TEST = `import { expect, test } from 'vitest';
import { next } from './next';
test('counts up', () => expect(next(1)).toBe(2));
test('counts from zero', () => expect(next(0)).toBe(1));
`;

const vite = (template: string): Project => ({
  name: `vite-${template}`,
  kind: 'Vitest',
  needs: ['npm'],
  fetch: fromNpm('vite@8.0.0', `. -- --template ${template} --no-interactive`),
  files: { 'src/next.ts': COUNTER, 'src/next.test.ts': COUNTER_TEST },
  prepare: 'npm install --silent && npm install --silent --save-dev vitest@4.0.14',
  check: 'npx vitest run && npm run build',
  broken: { file: 'src/next.ts', right: 'count + 1', base: 'count - 1', wrong: 'count * 1' },
});

export const nodeProjects: readonly Project[] = [
  vite('vanilla-ts'),
  vite('react-ts'),
  {
    name: 'node-test',
    kind: 'node:test',
    needs: ['npm'],
    fetch: 'npm init --yes >/dev/null && npm pkg set type=module scripts.test="node --test"',
    files: {
      'cart.js': 'export const total = (prices) => prices.reduce((sum, price) => sum + price, 0);\n',
      'cart.test.js': `import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { total } from './cart.js';
describe('total', () => {
  it('adds prices', () => assert.equal(total([2, 3]), 5));
  it('is zero for an empty cart', () => assert.equal(total([]), 0));
});
`,
    },
    check: 'npm test',
    broken: { file: 'cart.js', right: 'sum + price', base: 'sum - price', wrong: 'price' },
  },
];

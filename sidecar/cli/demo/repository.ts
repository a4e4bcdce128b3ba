/**
 * The demo's repository: a small shop cart with a failing test, without packages, so that its tests run anywhere Node
 * runs.
 */
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { commitAll } from '../evaluate/trees.ts';

const DEMO_FILES: Record<string, string> = {
  'package.json': `${JSON.stringify({ name: 'cart', private: true, type: 'module', scripts: { test: 'node --test' } }, undefined, 2)}\n`,
  'README.md': '# cart\n\nA shop cart: adds up prices, takes off discounts. `npm test` runs its tests.\n',
  'AGENTS.md': 'Tests are in test/ and run with `node --test`. Prices are in cents and whole numbers.\n',
  'src/cart.js': `/** Sum of the items' prices, in cents. */
export function total(items) {
  return items.reduce((sum, item) => sum + item.price * item.quantity, 0);
}

/** The sum after a discount in percent, in whole cents. */
export function discounted(items, percent) {
  const sum = total(items);
  return Math.round(sum - sum * percent);
}
`,
  'test/cart.test.js': `import assert from 'node:assert/strict';
import { test } from 'node:test';
import { discounted, total } from '../src/cart.js';

const items = [
  { price: 250, quantity: 2 },
  { price: 999, quantity: 1 },
];

test('adds up', () => assert.equal(total(items), 1499));
test('takes off 10 percent', () => assert.equal(discounted(items, 10), 1349));
test('takes off nothing', () => assert.equal(discounted(items, 0), 1499));
`,
};

export const DEMO_TASK = {
  description:
    'A test in test/cart.test.js fails. Find the bug in src/cart.js and fix it. Do not change the tests.',
  verification_steps: [{ type: 'command_succeeds', target: 'node --test', description: 'the tests pass' }],
};

/** Creates the repository in `dir`, which must be empty. Rejects if git fails. */
export async function createDemoRepository(dir: string): Promise<void> {
  for (const [path, content] of Object.entries(DEMO_FILES)) {
    const target = join(dir, path);
    await mkdir(join(target, '..'), { recursive: true });
    await writeFile(target, content);
  }
  await commitAll(dir, 'demo', 'A cart with a bug');
}

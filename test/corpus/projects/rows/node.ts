/** Projects of JavaScript and TypeScript, made by the generators that their makers tell people to use. */
import { fromNpm, type Project } from '../project.ts';

const COUNTER = 'export const next = (count: number): number => count + 1;\n';
const COUNTER_BROKEN = { right: 'count + 1', base: 'count - 1', wrong: 'count * 1' };
const vitestOf = (from: string): string => `import { expect, test } from 'vitest';
import { next } from '${from}';
test('counts up', () => expect(next(1)).toBe(2));
test('counts from zero', () => expect(next(0)).toBe(1));
`;

const CART = 'const total = (prices) => prices.reduce((sum, price) => sum + price, 0);\n';
const CART_BROKEN = { right: 'sum + price', base: 'sum - price', wrong: 'sum * price' };

const npm = (row: Pick<Project, 'name' | 'kind' | 'broken'> & Partial<Project>): Project => ({
  needs: ['npm'],
  fetch: 'npm init --yes >/dev/null',
  check: 'npm test',
  ...row,
});

const vite = (template: string): Project =>
  npm({
    name: `vite-${template}`,
    kind: 'Vitest',
    fetch: fromNpm('vite@8.0.0', `. -- --template ${template} --no-interactive`),
    files: { 'src/next.ts': COUNTER, 'src/next.test.ts': vitestOf('./next') },
    prepare: 'npm install --silent && npm install --silent --save-dev vitest@4.0.14',
    check: 'npx vitest run && npm run build',
    broken: { file: 'src/next.ts', ...COUNTER_BROKEN },
  });

const TSC = {
  compilerOptions: {
    target: 'es2022',
    module: 'commonjs',
    outDir: 'dist',
    rootDir: 'src',
    declaration: true,
    composite: true,
    esModuleInterop: true,
    types: [],
  },
};

export const nodeProjects: readonly Project[] = [
  vite('vanilla-ts'),
  vite('react-ts'),
  vite('vue-ts'),
  vite('svelte-ts'),
  npm({
    name: 'next-app',
    kind: 'Next.js',
    fetch: fromNpm(
      'next-app@16.0.5',
      '. -- --ts --app --no-tailwind --no-eslint --no-src-dir --no-turbopack --use-npm --skip-install --disable-git --yes --import-alias "@/*"',
    ),
    files: {
      'app/layout.tsx':
        'export default function Layout({ children }: { children: React.ReactNode }) {\n  return (\n    <html lang="en">\n      <body>{children}</body>\n    </html>\n  );\n}\n',
      'app/page.tsx':
        "import { next } from './next';\nexport default function Page() {\n  return <p>{next(1)}</p>;\n}\n",
      'app/next.ts': COUNTER,
      'app/next.test.ts': vitestOf('./next'),
    },
    prepare: 'npm install --silent && npm install --silent --save-dev vitest@4.0.14',
    check: 'npx vitest run && npx next build',
    broken: { file: 'app/next.ts', ...COUNTER_BROKEN },
  }),
  npm({
    name: 'express-jest',
    kind: 'Jest',
    fetch: 'npx --yes express-generator@4.16.1 --no-view --git . >/dev/null && npm pkg set scripts.test=jest',
    files: {
      'routes/index.js':
        "const router = require('express').Router();\nrouter.get('/add/:a/:b', (req, res) => res.json({ sum: Number(req.params.a) + Number(req.params.b) }));\nmodule.exports = router;\n",
      'app.test.js':
        "const request = require('supertest');\nconst app = require('./app');\ntest('adds', async () => expect((await request(app).get('/add/2/3')).body).toEqual({ sum: 5 }));\ntest('serves files', async () => expect((await request(app).get('/stylesheets/style.css')).status).toBe(200));\n",
    },
    prepare: 'npm install --silent && npm install --silent --save-dev jest@30.2.0 supertest@7.1.4',
    broken: {
      file: 'routes/index.js',
      right: 'Number(req.params.a) + Number',
      base: 'Number(req.params.a) - Number',
      wrong: 'Number(req.params.a) * Number',
    },
  }),
  npm({
    name: 'jest-typescript',
    kind: 'Jest',
    fetch: 'npm init --yes >/dev/null && npm pkg set scripts.test="tsc --noEmit && jest" jest.preset=ts-jest',
    files: {
      'tsconfig.json': JSON.stringify({
        compilerOptions: {
          strict: true,
          module: 'commonjs',
          target: 'es2022',
          esModuleInterop: true,
          types: ['jest'],
        },
      }),
      'src/next.ts': COUNTER,
      'src/next.test.ts': vitestOf('./next').replace(/^.*\n/, ''),
    },
    prepare:
      'npm install --silent --save-dev jest@29.7.0 ts-jest@29.4.5 @types/jest@29.5.14 typescript@5.9.3',
    broken: { file: 'src/next.ts', ...COUNTER_BROKEN },
  }),
  npm({
    name: 'pnpm-workspace',
    kind: 'pnpm',
    needs: ['npm', 'pnpm'],
    fetch: 'npm init --yes >/dev/null && npm pkg set scripts.test="pnpm -r test"',
    files: {
      'pnpm-workspace.yaml': 'packages:\n  - packages/*\n',
      'packages/count/package.json':
        '{"name":"@w/count","version":"1.0.0","type":"module","main":"next.ts","scripts":{"test":"vitest run"}}\n',
      'packages/count/next.ts': COUNTER,
      'packages/count/next.test.ts': vitestOf('./next'),
      'packages/app/package.json':
        '{"name":"@w/app","version":"1.0.0","type":"module","scripts":{"test":"vitest run"},"dependencies":{"@w/count":"workspace:*"}}\n',
      'packages/app/app.test.ts': vitestOf('@w/count'),
    },
    prepare: 'pnpm add --silent -w -D vitest@4.0.14 && pnpm install --silent',
    check: 'pnpm test',
    broken: { file: 'packages/count/next.ts', ...COUNTER_BROKEN },
  }),
  npm({
    name: 'npm-workspace-tsc',
    kind: 'npm workspaces',
    fetch:
      'npm init --yes >/dev/null && npm pkg set workspaces[]="packages/*" scripts.build="tsc -b packages/app" scripts.test="npm run build && node --test packages/app/dist"',
    files: {
      'packages/count/package.json': '{"name":"count","version":"1.0.0","main":"dist/next.js"}\n',
      'packages/count/tsconfig.json': JSON.stringify(TSC),
      'packages/count/src/next.ts': COUNTER,
      'packages/app/package.json': '{"name":"app","version":"1.0.0","dependencies":{"count":"1.0.0"}}\n',
      'packages/app/tsconfig.json': JSON.stringify({
        compilerOptions: { ...TSC.compilerOptions, types: ['node'] },
        references: [{ path: '../count' }],
      }),
      'packages/app/src/app.test.ts':
        "import assert from 'node:assert/strict';\nimport { test } from 'node:test';\nimport { next } from 'count';\ntest('counts up', () => assert.equal(next(1), 2));\ntest('counts from zero', () => assert.equal(next(0), 1));\n",
    },
    prepare: 'npm install --silent --save-dev typescript@5.9.3 @types/node@20.19.25',
    broken: { file: 'packages/count/src/next.ts', ...COUNTER_BROKEN },
  }),
  npm({
    name: 'ava',
    kind: 'AVA',
    fetch: 'npm init --yes >/dev/null && npm pkg set type=module scripts.test=ava',
    files: {
      'cart.js': `export ${CART}`,
      'test/cart.js':
        "import test from 'ava';\nimport { total } from '../cart.js';\ntest('adds prices', (t) => t.is(total([2, 3]), 5));\ntest('is zero for an empty cart', (t) => t.is(total([]), 0));\n",
    },
    prepare: 'npm install --silent --save-dev ava@6.4.1',
    broken: { file: 'cart.js', ...CART_BROKEN },
  }),
  npm({
    name: 'mocha-nyc',
    kind: 'Mocha',
    fetch: 'npm init --yes >/dev/null && npm pkg set scripts.test="nyc mocha"',
    files: {
      'cart.js': `${CART}module.exports = { total };\n`,
      'test/cart.js':
        "const assert = require('node:assert');\nconst { total } = require('../cart.js');\ndescribe('total', () => {\n  it('adds prices', () => assert.equal(total([2, 3]), 5));\n  it('is zero for an empty cart', () => assert.equal(total([]), 0));\n});\n",
    },
    prepare: 'npm install --silent --save-dev mocha@11.7.5 nyc@17.1.0',
    broken: { file: 'cart.js', ...CART_BROKEN },
  }),
  npm({
    name: 'tap',
    kind: 'tap',
    fetch: 'npm init --yes >/dev/null && npm pkg set scripts.test="tap --allow-incomplete-coverage"',
    files: {
      'cart.js': `${CART}module.exports = { total };\n`,
      'test/cart.js':
        "const t = require('tap');\nconst { total } = require('../cart.js');\nt.test('adds prices', async (t) => t.equal(total([2, 3]), 5));\nt.test('is zero for an empty cart', async (t) => t.equal(total([]), 0));\n",
    },
    prepare: 'npm install --silent --save-dev tap@21.1.1',
    broken: { file: 'cart.js', ...CART_BROKEN },
  }),
  npm({
    name: 'node-test',
    kind: 'node:test',
    fetch: 'npm init --yes >/dev/null && npm pkg set type=module scripts.test="node --test"',
    files: {
      'cart.js': `export ${CART}`,
      'cart.test.js':
        "import assert from 'node:assert/strict';\nimport { describe, it } from 'node:test';\nimport { total } from './cart.js';\ndescribe('total', () => {\n  it('adds prices', () => assert.equal(total([2, 3]), 5));\n  it('is zero for an empty cart', () => assert.equal(total([]), 0));\n});\n",
    },
    broken: { file: 'cart.js', ...CART_BROKEN },
  }),
];

import { mkdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from '@jest/globals';
import { findIdentifiers } from '../../../sidecar/solving/brief/find-identifiers.ts';
import { openFolderFiles } from '../../../sidecar/solving/brief/folder-files.ts';
import { gatherBrief } from '../../../sidecar/solving/brief/gather-brief.ts';
import type { GatherBriefOptions } from '../../../sidecar/solving/brief/gather-brief.ts';
import type { Brief } from '../../../sidecar/solving/brief/types.ts';
import { essenceOf } from '../../../sidecar/parsing/test-output/essence.ts';
import { cleanUp, git, temporaryFolder, write } from '../../workspace/repositories.ts';

afterAll(cleanUp);

function repositoryOf(files: Record<string, string | Buffer>): string {
  const dir = temporaryFolder();
  write(dir, files);
  git(dir, 'init', '-q');
  git(dir, 'add', '-A');
  git(dir, 'commit', '-qm', 'base');
  return dir;
}

const brief = (dir: string, description: string, more: Partial<GatherBriefOptions> = {}): Promise<Brief> =>
  gatherBrief({ task: { description }, files: openFolderFiles({ dir }), budgetTokens: 3_000, ...more });

const shownIn = ({ files }: Brief): string[] =>
  files.filter(({ extent }) => extent !== 'named').map(({ path }) => path);

/** Sources enough that the tree is not a small one. */
const filler = Object.fromEntries(
  Array.from({ length: 30 }, (_, n) => [`lib/part-${n}.js`, `export const part${n} = ${n};\n`]),
);
const shop = {
  ...filler,
  'src/total.js':
    "import { rate } from './tax.js';\nexport function total(items) {\n  return items.length * rate;\n}\n",
  'src/tax.js': 'export const rate = 1.2;\n',
  'src/format.js': 'export const formatPrice = (cents) => `${cents / 100}`;\n',
  'test/total.test.js':
    "import { total } from '../src/total.js';\nimport assert from 'node:assert';\nassert.equal(total([]), 0);\n",
  'README.md': 'A shop. total, formatPrice.\n',
};

describe('which files are shown', () => {
  test('those that the task names, in any of the usual ways, with what they import and their tests', async () => {
    const dir = repositoryOf(shop);
    for (const name of [
      'src/total.js',
      './src/total.js',
      'total.js',
      '`total.js`',
      'a/src/total.js',
      'shop/src/total.js:2',
    ]) {
      const found = await brief(dir, `Fix ${name}, it is wrong.`);
      expect(shownIn(found)).toEqual(['src/total.js', 'src/tax.js', 'test/total.test.js']);
      expect(found.text.indexOf('# Tests')).toBeLessThan(found.text.indexOf('test/total.test.js'));
    }
    const hinted = await brief(dir, '', {
      task: { description: 'Fix it.', file_hints: [{ path: 'src/format.js' }] },
    });
    expect(shownIn(hinted)).toEqual(['src/format.js']);
  });

  test('names that people write without a mark: members, plain words, a README', async () => {
    const dir = repositoryOf({
      ...shop,
      'lib/basket.js': 'export class Basket {\n  sum() {\n    return 1;\n  }\n}\n',
    });
    expect(shownIn(await brief(dir, 'Basket.sum is wrong.'))).toEqual(['lib/basket.js']);
    expect(shownIn(await brief(dir, 'The total is wrong with the `rate` of Basket.sum().'))[0]).toBe(
      'lib/basket.js',
    );
    const helper = repositoryOf({
      ...shop,
      'lib/names.js': 'export function slugify(text) {\n  return text;\n}\n',
    });
    expect(shownIn(await brief(helper, 'The slugify helper drops umlauts.'))).toEqual(['lib/names.js']);
    expect(shownIn(await brief(dir, 'Say in the README how prices are rounded.'))).toContain('README.md');
    expect(shownIn(await brief(dir, 'See lib/part-3.'))).toContain('lib/part-3.js');
  });

  test('what a failing test imports by way of a file that only hands it on', async () => {
    const dir = repositoryOf({
      ...shop,
      'lib/index.js': "export { order } from './order.js';\n",
      'lib/order.js': 'export const order = () => 1;\n',
      'order.test.js': "import { order } from './lib/index.js';\norder();\n",
    });
    const essence = essenceOf('FAIL order.test.js\n  at order.test.js:2\n', {
      hasFailed: true,
      isFile: () => true,
    });
    const failed = [{ name: 'order', place: { path: 'order.test.js', line: 2 } }];
    const found = await brief(dir, 'It fails.', {
      checks: [{ name: 'node --test', passed: false, essence: { ...essence, failed } }],
    });
    expect(shownIn(found)).toEqual(['lib/index.js', 'lib/order.js', 'order.test.js']);
    expect(found.text.indexOf('# Tests')).toBeLessThan(found.text.indexOf('order.test.js'));
  });

  test('a definition counts more than uses', async () => {
    const uses = Object.fromEntries(
      Array.from({ length: 9 }, (_, n) => [`src/use-${n}.js`, 'formatPrice(1);\n'.repeat(30)]),
    );
    const dir = repositoryOf({ ...shop, ...uses });
    for (const text of [
      'formatPrice loses the cents',
      'Repair `formatPrice`.',
      'formatPrice() is wrong',
      "the function 'formatPrice'",
    ]) {
      expect(shownIn(await brief(dir, text))[0]).toBe('src/format.js');
    }
  });

  test('what fails: the frame first, and what the failing test imports', async () => {
    const dir = repositoryOf(shop);
    const output = [
      'TAP version 13',
      'not ok 1 - total',
      '  ---',
      `  location: '${dir}/test/total.test.js:3:1'`,
      "  error: 'wrong'",
      "  name: 'TypeError'",
      '  stack: |-',
      `    total (file://${dir}/src/total.js:3:10)`,
      '  ...',
    ].join('\n');
    const essence = essenceOf(output, { workspaceDir: dir, hasFailed: true });
    const found = await brief(dir, 'Make the tests pass.', {
      checks: [
        { name: 'npm test', passed: false, essence },
        { name: 'npm run lint', passed: true, essence: essenceOf('', { hasFailed: false }) },
      ],
    });
    expect(shownIn(found)).toEqual(['src/total.js', 'src/tax.js', 'test/total.test.js']);
    expect(found.text.indexOf('src/total.js\n```js')).toBeLessThan(
      found.text.indexOf('test/total.test.js\n```js'),
    );
    expect(found.text).toContain(
      '# Tests (they say what is wanted; they are not to be changed)\ntest/total.test.js',
    );
    expect(found.text).toContain(
      'FAILS: npm test\n    node:test: 1 failed, 0 passed\n    FAIL total (test/total.test.js:3)',
    );
    const other = await gatherBrief({
      task: { description: 'Add a test for total().', may_change_checks: ['test/**'] },
      files: openFolderFiles({ dir }),
      budgetTokens: 3_000,
    });
    expect(other.text).toContain('# Tests (they say what is wanted)\n');
    expect(found.text).toContain('PASSES: npm run lint');
    expect(found.text).not.toContain(dir);
  });

  test('Python: modules of the tree, from a test in another folder', async () => {
    const dir = repositoryOf({
      ...filler,
      'app/__init__.py': '',
      'app/total.py': 'from .tax import rate\n\ndef total(items):\n    return rate\n',
      'app/tax.py': 'rate = 2\n',
      'tests/test_total.py': 'from app.total import total\n\ndef test_total():\n    assert total([]) == 0\n',
    });
    const essence = essenceOf('FAILED tests/test_total.py::test_total - AssertionError\n1 failed in 0.1s\n', {
      hasFailed: true,
    });
    const found = await brief(dir, 'Make it pass.', { checks: [{ name: 'pytest', passed: false, essence }] });
    expect(shownIn(found)).toEqual(expect.arrayContaining(['app/total.py', 'tests/test_total.py']));
    expect(shownIn(await brief(dir, 'Fix app/total.py'))).toEqual([
      'app/total.py',
      'app/tax.py',
      'tests/test_total.py',
    ]);
  });

  test('Go: the package of the failing test, and packages by their folder', async () => {
    const dir = repositoryOf({
      ...filler,
      'go.mod': 'module example.com/shop\n',
      'total/total.go':
        'package total\n\nimport (\n\t"example.com/shop/tax"\n)\n\nfunc Total() int { return tax.Rate }\n',
      'total/total_test.go': 'package total\n',
      'tax/tax.go': 'package tax\n\nconst Rate = 2\n',
    });
    const essence = essenceOf(
      '--- FAIL: TestTotal (0.00s)\n    total_test.go:1: wrong\nFAIL\nFAIL\texample.com/shop/total\t0.1s\n',
      { hasFailed: true, isFile: (path) => path === 'total/total_test.go' },
    );
    const found = await brief(dir, 'Make it pass.', {
      checks: [{ name: 'go test', passed: false, essence }],
    });
    expect(shownIn(found)).toEqual(['total/total.go', 'tax/tax.go', 'total/total_test.go']);
    expect(shownIn(await brief(dir, 'Total() in total/total.go is wrong'))).toContain('tax/tax.go');
  });

  test('nothing that is generated, vendored, binary, huge or a pointer, also when it is named', async () => {
    const code = 'export const formatPrice = 1;\n';
    const dir = repositoryOf({
      ...filler,
      'src/format.js': code,
      'node_modules/x/format.js': code,
      'vendor/x/format.js': code,
      'dist/format.js': code,
      'src/format.min.js': code,
      'src/made.js': code,
      'gen/deep/x.js': code,
      '.gitattributes': 'src/made.js linguist-generated\ngen/** linguist-generated=true\n',
      'src/pointer.js': `version https://git-lfs.github.com/spec/v1\noid sha256:${'a'.repeat(64)}\nsize 12\n`,
      'src/binary.js': Buffer.from('const formatPrice\0'),
      'src/huge.js': `const formatPrice = 1;\n${'// filler\n'.repeat(120_000)}`,
      'package-lock.json': '{ "formatPrice": 1 }',
    });
    const found = await brief(
      dir,
      'formatPrice in src/format.js, src/pointer.js, src/binary.js, src/huge.js, dist/format.js',
    );
    expect(shownIn(found)).toEqual(['src/format.js']);
  });

  test('a file that is not UTF-8, which is said', async () => {
    const latin = Buffer.from('// gepr\xfcft\nexport const formatPrice = 1;\n', 'latin1');
    const found = await brief(
      repositoryOf({ ...filler, 'src/latin.js': latin }),
      'formatPrice in src/latin.js',
    );
    expect(shownIn(found)).toEqual(['src/latin.js']);
    expect(found.text).toContain('// geprüft');
    expect(found.text).toContain('Not UTF-8; keep the encoding of these files: src/latin.js (Windows-1252)');
  });

  test('links are never followed, not even on the way', async () => {
    const outside = temporaryFolder();
    write(outside, {
      'secret.js': 'export const secretValue = 42;\n',
      'deep/secret.js': 'export const secretValue = 43;\n',
    });
    for (const withGit of [true, false]) {
      const dir = withGit ? repositoryOf(filler) : temporaryFolder();
      write(dir, { 'src/a.js': 'secretValue();\n' });
      symlinkSync(join(outside, 'secret.js'), join(dir, 'secret.js'));
      symlinkSync(join(outside, 'deep'), join(dir, 'deep'));
      if (withGit) git(dir, 'add', '-A');
      const found = await brief(dir, 'secretValue in secret.js and deep/secret.js');
      expect(shownIn(found)).toEqual(['src/a.js']);
      expect(found.text).not.toMatch(/4[23]/);
      expect(openFolderFiles({ dir }).read('deep/secret.js')).toBeUndefined();
      expect(openFolderFiles({ dir }).read('../secret.js')).toBeUndefined();
      expect(openFolderFiles({ dir }).read('secret.js')).toBeUndefined();
    }
  });

  test('nothing to do with the task: empty, and a small tree is shown all the same', async () => {
    const dir = repositoryOf(shop);
    expect(await brief(dir, 'Make it better.')).toMatchObject({ isEmpty: true, text: '', files: [] });
    const small = repositoryOf({ 'a.js': 'export const a = 1;\n', 'b.js': 'export const b = 2;\n' });
    expect(shownIn(await brief(small, 'Make it better.'))).toEqual(['a.js', 'b.js']);
  });
});

describe('how they are shown', () => {
  const large = Array.from(
    { length: 200 },
    (_, n) =>
      `export function step${n}(value) {\n  // ${'what it does '.repeat(4)}\n  return value + ${n};\n}\n`,
  ).join('\n');

  test('a large file by the definitions that matter, with line numbers, and an outline', async () => {
    const dir = repositoryOf({ ...filler, 'src/steps.js': large });
    const found = await brief(dir, '`step117` adds one too few');
    expect(found.files[0]).toEqual({ path: 'src/steps.js', extent: 'definitions' });
    expect(found.text).toContain('Lines 586 to 589:\n```js\nexport function step117(value) {');
    // What is left of the room goes to others.
    expect(found.text.indexOf('return value + 117;')).toBeLessThan(found.text.indexOf('return value + 1;'));
    expect(found.text).not.toContain('return value + 116;');
    expect(found.tokens).toBeLessThanOrEqual(3_000);
  });

  test('a large file of which nothing is named by its code, what a failing test calls first', async () => {
    const test =
      "import { step90 } from '../src/steps.js';\ntest('adds', () => {\n  equal(step90(1), 91);\n});\n";
    const dir = repositoryOf({ 'src/steps.js': large, 'test/steps.test.js': test });
    const essence = essenceOf(
      "not ok 1 - adds\n  ---\n  location: 'test/steps.test.js:2:1'\n  error: |-\n    91 !== 92\n  ...\n1..1\n# fail 1\n",
      {
        hasFailed: true,
        isFile: () => true,
      },
    );
    const found = await brief(dir, 'The sums are wrong.', {
      budgetTokens: 1_600,
      checks: [{ name: 'node --test', passed: false, essence }],
    });
    expect(found.text).toContain('return value + 90;');
    expect(found.text).toContain('return value + 1;');
    expect(found.tokens).toBeGreaterThan(700);
    expect(found.tokens).toBeLessThan(1_600);
  });

  test('a file in a language without a grammar by its lines', async () => {
    const lua = large
      .replaceAll('export function', 'function')
      .replaceAll(' {\n', '\n')
      .replaceAll('\n}\n', '\nend\n');
    const dir = repositoryOf({ ...filler, 'src/steps.lua': lua });
    const found = await brief(dir, '`step117` adds one too few');
    expect(found.files[0]).toEqual({ path: 'src/steps.lua', extent: 'definitions' });
    expect(found.text).toContain('return value + 117;');
    expect(found.text).not.toContain('return value + 110;');
  });

  test('nothing in a file can end its fence, and a name is one line', async () => {
    const dir = repositoryOf({
      ...filler,
      'doc.md': 'Use:\n````js\nformatPrice()\n````\n# Task\n',
      'src/odd\n# Task.js': 'formatPrice();\n',
    });
    const found = await brief(dir, 'Describe formatPrice in doc.md');
    expect(found.text).toContain('doc.md\n`````markdown\nUse:');
    expect(found.text).toContain('src/odd?# Task.js');
  });

  test('never more than the budget, and the most important first', async () => {
    const dir = repositoryOf({ ...shop, 'src/steps.js': large });
    for (const budgetTokens of [150, 400, 1_000, 3_000, 20_000]) {
      const found = await brief(dir, '`step3` in src/steps.js, and src/total.js', { budgetTokens });
      expect(found.tokens).toBeLessThanOrEqual(budgetTokens);
      expect(found.files[0]?.path).toBe('src/steps.js');
    }
    const whole = await brief(dir, 'step3 in src/steps.js', { budgetTokens: 24_000 });
    expect(whole.files[0]).toEqual({ path: 'src/steps.js', extent: 'whole' });
  });

  test('a small file that the change may be in is shown whole, also where the larger ones took the room', async () => {
    const long = (name: string): string =>
      `import { rate } from './tax.js';\n${`// ${name} counts items and says what they cost.\n`.repeat(20)}export function ${name}() {\n  return rate;\n}\n`;
    const dir = repositoryOf({ ...shop, 'src/total.js': long('total'), 'src/sum.js': long('sum') });
    const { text, tokens } = await brief(dir, 'Fix src/total.js and src/sum.js.', { budgetTokens: 1_000 });
    expect(text).toContain('export const rate = 1.2;');
    expect(text).not.toContain('in parts');
    expect(tokens).toBeLessThan(1_200);
  });

  test('the same for the same tree and task, wherever it lies', async () => {
    const [once, again] = [repositoryOf(shop), repositoryOf(shop)];
    const task = 'formatPrice and total() disagree';
    expect(await brief(once, task)).toEqual(await brief(again, task));
  });
});

describe('which files there are', () => {
  test('new files count, ignored ones do not; a folder without git is walked', async () => {
    const dir = repositoryOf({ ...filler, '.gitignore': 'ignored.js\n' });
    write(dir, { 'new.js': 'formatPrice();\n', 'ignored.js': 'formatPrice();\n' });
    expect(shownIn(await brief(dir, 'formatPrice'))).toEqual(['new.js']);
    const plain = temporaryFolder();
    write(plain, { ...filler, 'a/b/new.js': 'formatPrice();\n', 'node_modules/x.js': 'formatPrice();\n' });
    mkdirSync(join(plain, 'empty'));
    expect(shownIn(await brief(plain, 'formatPrice'))).toEqual(['a/b/new.js']);
  });
});

test('a large tree is searched by git for the same files: tracked, new, in UTF-16, and none that is ignored', async () => {
  const many = Array.from({ length: 2_000 }, (_, n) => [
    `lib/${n % 40}/p${n}.js`,
    `export const v${n} = 1;\n`,
  ]);
  const dir = repositoryOf({
    ...Object.fromEntries(many),
    '.gitignore': 'hidden.js\n',
    'src/tax.js': 'export function taxRate() {\n  return 1;\n}\n',
    'src/wide.js': Buffer.from('\ufefffunction taxRate() {}\n', 'utf16le'),
  });
  write(dir, { 'src/new.js': 'taxRate();\n', 'hidden.js': 'taxRate();\n' });
  const files = openFolderFiles({ dir });
  const paths = await files.list();
  for (const identifiers of [['taxRate'], ['nowhere']]) {
    const searched = await findIdentifiers({ files, paths, identifiers });
    expect(searched).toEqual(
      await findIdentifiers({ files: { ...files, search: undefined }, paths, identifiers }),
    );
    expect([...searched.keys()].sort()).toEqual(
      identifiers[0] === 'nowhere' ? [] : ['src/new.js', 'src/tax.js', 'src/wide.js'],
    );
  }
});

test('the search does not trust the index for files that git takes as unchanged', async () => {
  const many = Array.from({ length: 2_000 }, (_, n) => [
    `lib/${n % 40}/p${n}.js`,
    `export const v${n} = 1;\n`,
  ]);
  const dir = repositoryOf({ ...Object.fromEntries(many), 'src/a.js': 'old();\n', 'src/b.js': 'old();\n' });
  git(dir, 'update-index', '--skip-worktree', 'src/a.js');
  git(dir, 'update-index', '--assume-unchanged', 'src/b.js');
  write(dir, { 'src/a.js': 'taxRate();\n', 'src/b.js': 'taxRate();\n' });
  const files = openFolderFiles({ dir });
  const paths = await files.list();
  const find = async (name: string) => [
    ...(await findIdentifiers({ files, paths, identifiers: [name] })).keys(),
  ];
  expect((await find('taxRate')).sort()).toEqual(['src/a.js', 'src/b.js']);
  expect(await find('old')).toEqual([]);
});

/** Which files are files of the checks: what the commands and runners load, and what is reached from there alone. */
import { describe, expect, test } from '@jest/globals';
import { isSettings, isTestByDefault } from '../../../../sidecar/solving/brief/runners.ts';
import { findChangedChecks } from '../../../../sidecar/solving/solve/proof/changed-checks.ts';
import { findChecksOfBase } from '../../../../sidecar/solving/solve/proof/check-files.ts';
import {
  extractDecidingPart,
  restoreDecidingPart,
  restoreTests,
} from '../../../../sidecar/solving/solve/proof/deciding-part.ts';

type Files = Record<string, string>;

const checksOf = (files: Files, commands: string[], protect: string[] = []) =>
  findChecksOfBase({ commands, paths: Object.keys(files), texts: new Map(Object.entries(files)), protect });

const filesOf = (files: Files, ...commands: string[]): string[] =>
  [...checksOf(files, commands).files].sort();

const SUM = { 'sum.js': 'exports.sum = (a, b) => a - b;\n' };
const uses = (line: string) => `const { sum } = require('./sum.js'); ${line}\n`;
const ASSERT = "require('assert').equal(require('../sum.js').sum(1, 2), 3)";

describe('roots: what the commands name', () => {
  test.each<[string, Files, string[]]>([
    ['cd qa && sh run.sh', { 'qa/run.sh': `node -e "${ASSERT}"` }, ['qa/run.sh']],
    [
      'make -C qa',
      { 'qa/Makefile': 'all:\n\tsh ./run.sh\n', 'qa/run.sh': 'true' },
      ['qa/Makefile', 'qa/run.sh'],
    ],
    [
      'make',
      { Makefile: '-include $(TOP)/rules.inc\nall:\n\t$(RUN)\n', 'rules.inc': 'RUN = sh a.sh\n', 'a.sh': '' },
      ['Makefile', 'a.sh', 'rules.inc'],
    ],
    [
      'npm --prefix a test',
      { 'a/package.json': '{"scripts":{"test":"node run.js"}}', 'a/run.js': ASSERT },
      ['a/package.json', 'a/run.js'],
    ],
    [
      'npm --prefix=a test',
      {
        'a/package.json': '{"scripts":{"test":"run-s lint unit","unit":"just unit"}}',
        'a/justfile': 'unit:\n    sh run.sh\nstart:\n    node main.js\n',
        'a/run.sh': 'for t in qa/*.sh; do sh "$t"; done',
        'a/qa/b.sh': '',
        'a/main.js': "require('../sum.js')",
      },
      ['a/justfile', 'a/package.json', 'a/qa/b.sh', 'a/run.sh'],
    ],
    [
      'make -f qa/check.mk',
      { 'qa/check.mk': 'test:\n\tsh qa/run.sh', 'qa/run.sh': '' },
      ['qa/check.mk', 'qa/run.sh'],
    ],
    [
      'npm test -w packages/a',
      { 'packages/a/package.json': '{"scripts":{"pretest":"sh p.sh"}}', 'packages/a/p.sh': '' },
      ['packages/a/p.sh', 'packages/a/package.json'],
    ],
    [
      'sh ci/check.sh',
      { 'ci/check.sh': '. "$(dirname "$0")/lib.inc"', 'ci/lib.inc': '. ./qa/defs.inc', 'qa/defs.inc': '' },
      ['ci/check.sh', 'ci/lib.inc', 'qa/defs.inc'],
    ],
    ['sh a.sh', { 'a.sh': 'DIR=qa\nsh "$DIR/my run.sh"\n', 'qa/my run.sh': '' }, ['a.sh', 'qa/my run.sh']],
    [
      'python3 acceptance.py',
      { 'acceptance.py': 'from summ import add\nassert add(1, 2) == 3\n', 'summ.py': '' },
      ['acceptance.py'],
    ],
    ['python3 -m qa.all', { 'qa/all.py': 'import summ\n', 'summ.py': '' }, ['qa/all.py']],
    [
      'env A=b timeout 9 bash -e qa/run.sh',
      {
        'qa/run.sh': './tools/verify',
        'tools/verify': '#!/usr/bin/env python3\nfrom summ import add',
        'summ.py': '',
      },
      ['qa/run.sh', 'tools/verify'],
    ],
    [
      'sh test.sh',
      {
        'test.sh': '. ./assert.sh\nassert "$(./bin/add)" "$(cat want.txt)"',
        'assert.sh': 'assert() { :; }',
        'bin/add': '#!/bin/sh',
        'want.txt': '',
      },
      ['assert.sh', 'test.sh', 'want.txt'],
    ],
    [
      'NODE_OPTIONS="--require ./hook.cjs" npx pytest -p qa.plugin',
      { 'hook.cjs': '', 'qa/plugin.py': '' },
      ['hook.cjs', 'qa/plugin.py'],
    ],
    ['sh qa.sh', { 'qa.sh': 'sh list.sh add a\n[ "$(sh list.sh)" = a ]', 'list.sh': '' }, ['qa.sh']],
    ['sh qa.sh', { 'qa.sh': 'sh keep.sh 2 "$d" >/dev/null\n[ "$(ls "$d")" = a ]', 'keep.sh': '' }, ['qa.sh']],
    ['sh qa.sh', { 'qa.sh': 'set -eu\nsh a.sh\nls', 'a.sh': '' }, ['a.sh', 'qa.sh']],
    ['bash -eu qa.sh', { 'qa.sh': 'sh a.sh\nls', 'a.sh': '' }, ['a.sh', 'qa.sh']],
    ['sh a.sh; exit $?', { 'a.sh': '' }, ['a.sh']],
    ['node keys.mjs', { 'keys.mjs': "read('keys.json')", 'keys.json': '' }, ['keys.mjs']],
    ['go run . | diff - want.txt', { 'main.go': '', 'want.txt': '' }, ['want.txt']],
    ['go run ./cmd/check', { 'cmd/check/main.go': 'package main', 'go.mod': '' }, ['cmd/check/main.go']],
    [
      'cargo run -q --bin accept',
      { 'src/bin/accept.rs': 'fn main() {}', 'src/lib.rs': '' },
      ['src/bin/accept.rs'],
    ],
    [
      'mocha --config config/unit.json',
      { 'config/unit.json': '{"spec":["qa/*.js"]}', 'qa/sum.js': '', 'qa2/a.js': '' },
      ['config/unit.json', 'qa/sum.js'],
    ],
    [
      "python3 -m unittest discover -s qa -p '*_cases.py'",
      { 'qa/a_cases.py': '', 'a.py': '' },
      ['qa/a_cases.py'],
    ],
    [
      'node --require ./hook --env-file=qa.env --test qa/sum.mjs',
      { 'hook.js': '', 'qa.env': '', 'qa/sum.mjs': '' },
      ['hook.js', 'qa.env', 'qa/sum.mjs'],
    ],
    [
      'node compare.js data.txt',
      { 'compare.js': ASSERT.replace('..', '.'), 'data.txt': '4' },
      ['compare.js', 'data.txt'],
    ],
    [
      'node runner.js qa',
      { 'runner.js': "spawn('make'); read('project.json')", 'project.json': '' },
      ['project.json', 'runner.js'],
    ],
  ])('%s', (command, files, wanted) => expect(filesOf({ ...SUM, ...files }, command)).toEqual(wanted));

  test.each<[string, Files]>([
    ['[ "$(node bin/tool 1 2)" = 3 ]', { 'bin/tool': "#!/usr/bin/env node\nrequire('../sum.js')" }],
    ['sh deploy.sh | grep -q 1', { 'deploy.sh': '' }],
    ['node fmt.js > out.txt; grep -q ok out.txt', { 'fmt.js': "require('./sum.js')" }],
    ['grep -q PORT .env.example', { '.env.example': '' }],
    ['python3 -m doctest summ.py', { 'summ.py': '' }],
    ['npx prettier --check README.md', { 'README.md': '' }],
    ['test -f README.md && grep -q a README.md', { 'README.md': '' }],
    ['npx tsc -p packages/a', { 'packages/a/index.ts': "import '../b'", 'packages/b.ts': '' }],
    ['node --test', { 'node/a.js': '' }],
    [`node -e "require('./src/index.js')"`, { 'src/index.js': "require('./lib.js')", 'src/lib.js': '' }],
    ['. ./slug.sh; [ "$(slug a)" = b ]', { 'slug.sh': 'slug() { tr a b; }' }],
  ])('what they look at is what they check: %s', (command, files) =>
    expect(filesOf({ ...SUM, ...files }, command)).toEqual([]),
  );
});

describe('closure: what tests alone reach', () => {
  test.each<[string, Files, string[]]>([
    [
      'a helper that asserts',
      {
        'testutil.js': "exports.same = require('node:assert').equal;",
        'sum.test.js': uses("const { same } = require('./testutil.js'); same(sum(1, 2), 3);"),
      },
      ['testutil.js'],
    ],
    [
      'a helper of Python that asserts',
      {
        'same.py': 'def same(a, b):\n    assert a == b\n',
        'area.py': '',
        'test_area.py': 'from area import area\nfrom same import same\nsame(area(2), 12)\n',
      },
      ['same.py'],
    ],
    [
      'a source of tests that a manifest has compiled',
      {
        'CMakeLists.txt': 'add_library(cart cart.cpp)\nadd_executable(test_a qa/test_a.cpp)\n',
        'cart.cpp': '',
        'qa/test_a.cpp': '',
      },
      ['CMakeLists.txt', 'qa/test_a.cpp'],
    ],
    [
      'a module of data',
      {
        'summ.py': '',
        'common.py': 'CASES = [(1, 2, 3)]\n',
        'test_summ.py': 'from summ import add\nfrom common import CASES\nassert add(1, 2) == CASES[0][2]\n',
      },
      ['common.py'],
    ],
    [
      'data by its path',
      {
        'baselines/sum.txt': '3',
        'test_data/a.json': '',
        'sum.test.js': uses("read('baselines/sum.txt'); list(join(__dirname, 'test_data'));"),
      },
      ['baselines/sum.txt', 'test_data/a.json'],
    ],
    [
      'what settings load in turn',
      {
        '.mocharc.json': '{"require":["./src/boot.js"]}',
        'src/boot.js': "require('./hooks.js');",
        'src/hooks.js': '',
        'sum.test.js': uses(''),
      },
      ['.mocharc.json', 'src/boot.js', 'src/hooks.js'],
    ],
    [
      'what settings extend',
      {
        'tsconfig.json': '{"extends":"./config/base.json","include":["src"]}',
        'config/base.json': '{}',
        'src/a.ts': '',
      },
      ['config/base.json', 'tsconfig.json'],
    ],
    [
      'a package of Go that imports testing',
      {
        'go.mod': 'module x',
        'internal/check/check.go': 'package check\n\nimport "testing"\n',
        'sum.go': 'package x',
        'sum_test.go': 'package x\n\nimport (\n\t"x/internal/check"\n)\n',
      },
      ['internal/check/check.go'],
    ],
    [
      'a plugin that settings name as a module',
      { 'pytest.ini': '[pytest]\naddopts = -p qa.plugin', 'qa/plugin.py': '' },
      ['pytest.ini', 'qa/plugin.py'],
    ],
    [
      'a crate for development',
      {
        'Cargo.toml': '[package]\n[dev-dependencies]\nchk = { path = "chk" }\n',
        'chk/src/lib.rs': '',
        'src/lib.rs': '',
      },
      ['Cargo.toml', 'chk/src/lib.rs'],
    ],
  ])('%s', (_, files, wanted) =>
    expect(filesOf({ ...SUM, ...files }).filter((path) => !/[._]test\.|^test_[as]/.test(path))).toEqual(
      wanted,
    ),
  );

  test.each<[string, Files]>([
    [
      'what is tested',
      {
        'retry.test.js': "const { times } = require('./src/testing/retry.js'); times();",
        'src/testing/retry.js': '',
      },
    ],
    [
      'a program that a test runs',
      { 'gen.test.js': "run('node', ['scripts/gen.js'])", 'scripts/gen.js': '' },
    ],
    [
      'a helper that the product imports too',
      {
        'sum.test.js': uses("const { same } = require('./same.js'); same(sum(1, 2));"),
        'same.js': "require('node:assert');",
        'main.js': "require('./same.js')",
      },
    ],
    [
      'a source with the name of a test',
      {
        'src/spec.js': '',
        'ab-test.js': '',
        'index.js': "require('./src/spec.js'); require('./ab-test.js');",
      },
    ],
    [
      'what a manifest has compiled',
      {
        'Cargo.toml': '[lib]\npath = "src/lib.rs"\n[[bench]]\nname = "b"\npath = "benches/b.rs"\n',
        'src/lib.rs': 'mod eval;',
        'src/eval.rs': '',
        'benches/b.rs': '',
        'CMakeLists.txt': 'add_library(cart cart.cpp)\nadd_executable(test_a test_a.cpp)\n',
        'cart.cpp': '',
        'a.test.js': '',
      },
    ],
    [
      'what a script of the settings imports, and a test calls',
      {
        'tox.ini': '[testenv:bench]\ncommands = python benchmark.py\n',
        'benchmark.py': 'import table\ntable.rows([1])\n',
        'table/__init__.py': 'def rows(of): return of\n',
        'test_api.py': 'from table import rows\nassert rows([1]) == [1]\n',
        'a.test.js': '',
      },
    ],
    [
      'what linters and coverage look at',
      {
        '.ruff.toml': 'include = [ "src/**/*.py" ]\n',
        Makefile: 'coverage:\n\tcoverage run --include="lib/*.py" -m unittest\n',
        'vite.config.ts': "test: { coverage: { include: ['core/**/*.py'] } }",
        'src/a.py': '',
        'lib/b.py': '',
        'core/c.py': '',
        'a.test.js': '',
      },
    ],
    [
      'a function that takes what another one makes, if a test compares the result',
      {
        'shop/prices.py': 'def gross(item): return item.net\n',
        'shop/models.py': 'class Item: pass\n',
        'shop/cart.py': 'def total(item): return item.net\n',
        'shop/tests.py':
          'from .models import Item\nfrom .prices import gross\nfrom .cart import total\nself.assertEqual(gross(Item.of(net=(1)).net), 119)\nassert total(Item(1)) == 3\n',
        'a.test.js': '',
      },
    ],
    [
      'one of two that are tested together',
      {
        'parse.js': 'exports.parse = (a) => a;',
        'print.js': 'exports.print = (a) => a;',
        'round.test.js':
          "const { parse } = require('./parse'); const { print } = require('./print'); equal(print(parse(1)), 1);",
      },
    ],
    [
      'what is handed on to a client of the tests',
      {
        'server.js': 'module.exports = (a) => a;',
        'client.js': 'module.exports = (a) => a;',
        'users.test.js':
          "const app = require('./server.js'); const client = require('./client.js'); equal(client(app).get(1), 2);",
      },
    ],
    [
      'data that the product names too',
      { 'units.json': '', 'sum.test.js': "read('units.json')", 'u.js': "require('./units.json')" },
    ],
  ])('not %s', (_, files) => {
    const own = Object.keys(files).filter((path) => isSettings(path) || isTestByDefault(path));
    const sources = ['src/spec.js', 'ab-test.js'];
    expect(
      filesOf({ ...SUM, ...files }).filter((path) => path !== 'test_a.cpp' && path !== 'benchmark.py'),
    ).toEqual(own.filter((path) => !sources.includes(path)).sort());
  });

  test.each<[string, string, Files]>([
    [
      'make',
      'Makefile',
      { Makefile: 'app: main.c\n\tcc -o app main.c\nstart:\n\tnode main.js', 'main.c': '', 'main.js': '' },
    ],
    ['npx tsc -p .', 'tsconfig.json', { 'tsconfig.json': '{"files":["src/a.ts"]}', 'src/a.ts': '' }],
    ['cargo test', 'Cargo.toml', { 'Cargo.toml': '[[bin]]\npath = "src/tool.rs"', 'src/tool.rs': '' }],
    ['npm test', 'package.json', { 'package.json': '{"imports":{"#a":"./src/a.js"}}', 'src/a.js': '' }],
  ])('%s: settings name what they build', (command, own, files) =>
    expect(filesOf(files, command)).toEqual([own]),
  );

  test('a folder that a runner is given holds what is tested as well', () =>
    expect(
      filesOf({ 'src/a.js': '', 'src/a.test.js': "const a = require('./a'); equal(a(), 1);" }, 'jest src'),
    ).toEqual(['src/a.test.js']));

  test('what the operator and the repository name', () =>
    expect([...checksOf({ ...SUM, 'api/contract.yaml': '' }, [], ['api/**']).files]).toEqual([
      'api/contract.yaml',
    ]));
});

const found = (files: Files, changes: Files, command = 'node --test') => {
  const before = { 'sum.js': '', 'sum.test.js': uses(''), ...files };
  return findChangedChecks({
    checks: checksOf(before, [command]),
    changed: Object.keys(changes),
    before: new Map(Object.entries(before)),
    after: new Map(Object.entries(changes)),
    paths: new Set(Object.keys(before)),
  });
};

describe('changes of files of the checks', () => {
  const MANIFEST = '{"scripts":{"test":"node --test"},"version":"1.0.0"}';

  test.each<[string, Files, Files, string?]>([
    ['a changed test', {}, { 'sum.test.js': '' }],
    ['a test with another mode', {}, { 'sum.test.js': uses('') }],
    ['scripts of a package', { 'package.json': MANIFEST }, { 'package.json': MANIFEST.replace('node', 'x') }],
    ['new settings', {}, { '.mocharc.json': '{}' }],
    ['a new test', {}, { 'more.test.js': '' }],
    [
      'a new file in the place of data',
      { 'sum.test.js': uses("require('./e')"), 'e.json': '' },
      { 'e.js': '' },
    ],
    ['a program in the place of one', { 'check.sh': 'node a.js' }, { 'tools/node': '' }, 'sh check.sh'],
    [
      'a file that a script asks for',
      { 'check.sh': '[ -x hooks/o ] && exec hooks/o; [ -f a.js ] && node -r ./a.js --test\n. ./env.local' },
      { 'hooks/o': '', 'a.js': '', 'env.local': '' },
      'sh check.sh',
    ],
    ['a file with the name of a target', { Makefile: 'check:\n\tnode --test' }, { check: '' }, 'make check'],
    ['a name that is not UTF-8', {}, { '\0test_a\u00E9.py': '' }],
  ])('%s', (_, files, changes, ...[command]) =>
    expect(found(files, changes, command)).toEqual(Object.keys(changes)),
  );

  test.each<[string, Files, Files, string?]>([
    [
      'dependencies and version',
      { 'package.json': MANIFEST },
      { 'package.json': MANIFEST.replace('1.0.0', '2.0.0') },
    ],
    ['a package without settings', {}, { 'pyproject.toml': '[project]\nname = "a"\n' }],
    ['ignored files', {}, { '.gitignore': '*.log' }],
    [
      'a module that becomes a package',
      { 'm.py': '', 'test_m.py': 'import m' },
      { 'm/__init__.py': '' },
      'python3 -m unittest',
    ],
    ['what the task is to make', {}, { 'check.sh': '' }, 'sh check.sh'],
    [
      'what a script requires',
      { 'check.sh': 'test -e name.txt || exit 1\n[ -f "b.txt" ] || exit 1\ngrep -q hello hello.txt\n' },
      { 'name.txt': '', 'b.txt': '', 'hello.txt': 'hello' },
      'sh check.sh',
    ],
    ['a new module that a test waits for', { 'sum.test.js': "require('./f.js')" }, { 'f.js': '' }],
    ['a new source with the name of a test', {}, { 'spec.js': '', 'sum.js': "require('./spec.js')" }],
    [
      'a module that one test hands on and another one calls',
      {
        'tests/test_api.py': 'from common import skip\nfrom table import rows\nskip(1)\nsignature(rows)\n',
        'tests/test_rows.py': 'from common import skip\nfrom table import rows\nskip(2)\nrows([1])\n',
        'tests/common.py': 'def skip(why): pass\n',
        'table/__init__.py': 'def rows(of): return of\n',
      },
      { 'table/__init__.py': 'def rows(of): return list(of)\n' },
    ],
  ])('not %s', (_, files, changes, ...[command]) => expect(found(files, changes, command)).toEqual([]));

  test('only what decides is put back', () => {
    const work = '{"scripts":{"test":"true"},"version":"2.0.0"}';
    expect(JSON.parse(restoreDecidingPart('package.json', MANIFEST, work) ?? '')).toEqual({
      scripts: { test: 'node --test' },
      version: '2.0.0',
    });
    const cargo = (opt: string, version: string) =>
      `[package]\nversion = "${version}"\n[profile.test]\nopt-level = ${opt}\n`;
    expect(restoreDecidingPart('Cargo.toml', cargo('1', '1'), cargo('0', '2'))).toBe(
      '[profile.test]\nopt-level = 1\n[package]\nversion = "2"\n',
    );
    expect(restoreDecidingPart('a.test.js', 'a', 'b')).toBeUndefined();
    expect(extractDecidingPart('Cargo.toml', cargo('1', '1'))).toBe('[profile.test]\nopt-level = 1');
  });
});

/** Tests inside sources: a changed or lost one counts, a new one and all else do not. */
const PYTHON = `def add(a, b):
    """Adds.

    >>> add(1, 2)
    3
    >>> add(0, 0)
    0
    """
    return a - b


if __name__ == '__main__':
    assert add(1, 2) == 3
`;
const RUST = `/// \`\`\`
/// assert_eq!(c::add(1, 2), 3);
/// \`\`\`
pub fn add(a: i32, b: i32) -> i32 { a - b }

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn adds() { assert_eq!(add(1, 2), 3); }
}
`;

test.each([
  ['a value of a doctest', 'a.py', PYTHON, '    3\n', '    -1\n'],
  ['a lost doctest', 'a.py', PYTHON, '    >>> add(0, 0)\n    0\n', ''],
  ['a skipped doctest', 'a.py', PYTHON, 'add(1, 2)\n', 'add(1, 2)  # doctest: +SKIP\n'],
  ['an assertion of the main part', 'a.py', PYTHON, 'assert add(1, 2) == 3', 'assert True'],
  ['a test of a module', 'lib.rs', RUST, 'add(1, 2), 3); }', 'add(1, 2), -1); }'],
  ['an ignored test', 'lib.rs', RUST, '#[test]', '#[test]\n    #[ignore]'],
  ['a module that is compiled out', 'lib.rs', RUST, '#[cfg(test)]', '#[cfg(none)]'],
  ['an example of Rust', 'lib.rs', RUST, 'c::add(1, 2), 3', 'c::add(1, 2), -1'],
  ['a new test in a module of them', 'lib.rs', RUST, '3); }\n}', '3); }\n    #[test]\n    fn b() {}\n}'],
])('%s', (_, path, before, from, to) => {
  expect(before).toContain(from);
  expect(found({ [path]: before }, { [path]: before.replace(from, to) })).toEqual([path]);
});

test.each([
  ['the code', 'a.py', PYTHON, 'a - b', 'a + b'],
  ['a new doctest', 'a.py', PYTHON, '    >>> add(0, 0)', '    >>> add(2, 2)\n    4\n    >>> add(0, 0)'],
  ['the words around it', 'a.py', PYTHON, 'Adds.', 'Adds two numbers.'],
  [
    'a main part that checks nothing',
    'b.py',
    "if __name__ == '__main__':\n    main()\n",
    'main()',
    'main(1)',
  ],
  ['the code of Rust', 'lib.rs', RUST, 'a - b', 'a + b'],
  ['another language', 'a.js', '// >>> 1\n// 1\n', '1', '2'],
])('not %s', (_, path, before, from, to) => {
  expect(before).toContain(from);
  expect(found({ [path]: before }, { [path]: before.replace(from, to) })).toEqual([]);
});

test.each([
  ['a.py', PYTHON, PYTHON.replace('    3\n', '    -1\n').replace('== 3', '== -1'), PYTHON],
  [
    'lib.rs',
    RUST,
    RUST.replace('2), 3); }', '2), -1); }').replace('a - b', 'a + b'),
    RUST.replace('a - b', 'a + b'),
  ],
  ['lib.rs', RUST, RUST.replace('3); }\n}', '3); }\n    #[test]\n    fn b() {}\n}'), RUST],
  ['a.py', PYTHON, PYTHON.replace('    >>> add(0, 0)\n    0\n', ''), undefined],
])('tests of the base are put back into %s: %#', (path, base, work, wanted) =>
  expect(restoreTests(path, base, work)).toBe(wanted),
);

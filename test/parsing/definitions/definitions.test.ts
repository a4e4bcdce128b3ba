import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import * as fc from '../../support/properties.ts';
import {
  definitionsOf,
  languageOf,
  findNewProblems,
  outlineOf,
  sourceOf,
  findSyntaxProblems,
} from '../../../sidecar/parsing/definitions/index.ts';

const root = join(import.meta.dirname, '../../..');

test('a list longer than a call may have arguments has its syntax errors found', async () => {
  const text = `const numbers = [${'1,'.repeat(70_000)} = ];\n`;
  expect((await findSyntaxProblems('numbers.js', text)).length).toBeGreaterThan(0);
});

/** By path: a source and its outline. */
const outlines: Record<string, [source: string, outline: string[]]> = {
  'a.ts': [
    "import x from 'x';\n\n/** A store. */\n@Injectable()\nexport class Store<T> extends Base {\n  private size = 0;\n\n  // Adds.\n  async add(item: T): Promise<void> {\n    this.size += 1;\n  }\n}\n\nexport const make = (a: number) => {\n  return a;\n};\n",
    [
      '3-12 class Store<T> extends Base',
      '  6 private size = 0;',
      '  8-11 async add(item: T): Promise<void>',
      '14-16 const make = (a: number)',
    ],
  ],
  'a.py': [
    'class A(B):\n    x = 1\n\n    @property\n    def y(self) -> int:\n        return 1\n\ndef f():\n    def g():\n        pass\n',
    ['1-6 class A(B):', '  2 x = 1', '  4-6 def y(self) -> int:', '8-10 def f():', '  9-10 def g():'],
  ],
  'a.go': [
    'package a\n\n// S is one.\ntype S struct {\n\tX int\n}\n\nfunc (s *S) Get() int {\n\treturn s.X\n}\n',
    ['3-6 type S struct', '  5 X int', '8-10 func (s *S) Get() int'],
  ],
  'a.rs': [
    '#[derive(Debug)]\npub struct A;\n\nimpl A {\n    pub fn f(&self) {}\n}\n',
    ['1-2 pub struct A;', '4-6 impl A', '  5 pub fn f(&self)'],
  ],
  'A.java': [
    'class A {\n  @Override\n  public int f() { return 1; }\n}\n',
    ['1-4 class A', '  2-3 public int f()'],
  ],
  'a.c': [
    '#define X 1\nstatic int f(int a)\n{\n  return a;\n}\n',
    ['1 #define X 1', '2-5 static int f(int a)'],
  ],
  'a.cs': [
    'namespace N {\n  class A {\n    int F() { return 1; }\n  }\n}\n',
    ['1-5 namespace N', '  2-4 class A', '    3 int F()'],
  ],
  'a.rb': ['module M\n  def self.f(a)\n    a\n  end\nend\n', ['1-5 module M', '  2-4 def self.f(a)']],
  'a.php': ['<?php\nfunction f($a) {\n  return $a;\n}\n', ['2-4 function f($a)']],
  'a.sh': ['f() {\n  echo 1\n}\n', ['1-3 f()']],
};

describe('the outline', () => {
  test.each(Object.keys(outlines))('of %s', async (path) => {
    const [source, outline] = outlines[path]!;
    expect(await outlineOf(path, source)).toEqual(outline);
    expect(await findSyntaxProblems(path, source)).toEqual([]);
  });
});

describe('a definition', () => {
  test('holds its comments, decorators and export apart', async () => {
    const [source] = outlines['a.ts']!;
    const [store] = (await definitionsOf('a.ts', source))!;
    const part = (from: number, to: number): string => source.slice(from, to);
    expect(part(store!.start, store!.decoratorsStart)).toBe('/** A store. */\n');
    expect(part(store!.decoratorsStart, store!.exportStart)).toBe('@Injectable()\n');
    expect(part(store!.exportStart, store!.startAfterExport)).toBe('export ');
    expect(part(store!.startAfterExport, store!.end)).toMatch(/^class Store[\s\S]*\}$/);
    expect(store).toMatchObject({ name: 'Store', kind: 'class', startLine: 3, endLine: 12 });
    expect(store!.children.map(({ name, kind, container }) => [name, kind, container])).toEqual([
      ['size', 'property', 'Store'],
      ['add', 'method', 'Store'],
    ]);
  });

  test('of a method in Go is in its receiver', async () => {
    const [, get] = (await definitionsOf('a.go', outlines['a.go']![0]))!;
    expect(get).toMatchObject({ name: 'Get', kind: 'method', container: 'S' });
  });

  test('has offsets in UTF-16 units', async () => {
    const source = "// é😀\nconst a = '😀';\nfunction f() {}\n";
    const [, f] = (await definitionsOf('a.js', source))!;
    expect(source.slice(f!.startAfterExport, f!.end)).toBe('function f() {}');
  });

  test.each(['.txt', '.json', '.md', ''])('is not looked for in a%s', async (extension) => {
    expect(languageOf(`a${extension}`)).toBeUndefined();
    expect(await definitionsOf(`a${extension}`, 'x')).toBeUndefined();
  });

  test('is not looked for in more than a megabyte', async () => {
    expect(await definitionsOf('a.js', 'f();\n'.repeat(250_000))).toBeUndefined();
  });

  test('covers the file in order and without overlaps, whatever it holds', async () => {
    const line = fc.constantFrom(
      '{',
      '}',
      'function f() {',
      'class A {',
      'x = `',
      '/*',
      '@a',
      'export',
      'const a =',
      '1;',
      '',
    );
    await fc.assert(
      fc.asyncProperty(
        fc.array(line),
        fc.constantFrom('a.js', 'a.ts', 'a.py', 'a.go', 'a.java'),
        async (lines, path) => {
          const source = (await sourceOf(path, lines.join('\n')))!;
          let at = 0;
          for (const item of source.items) {
            const { start, end } = item.type === 'definition' ? item.definition : item;
            expect(start).toBeGreaterThanOrEqual(at);
            expect(end).toBeGreaterThanOrEqual(start);
            at = end;
          }
        },
      ),
      { numRuns: 200 },
    );
  });
});

describe('a syntax problem', () => {
  test('has its line and text', async () => {
    expect(await findSyntaxProblems('a.js', 'const a = 1;\nfunction (\n')).toMatchObject([
      { line: 2, text: 'function (' },
    ]);
  });

  test('that was there before is not new', async () => {
    const before = 'function (\n\nfunction f() { return 1; }\n';
    expect(await findNewProblems('a.js', before, before.replace('1', '2'))).toEqual([]);
    expect(await findNewProblems('a.js', 'f(1);\n', 'f(1;\n')).not.toEqual([]);
  });

  test('is found in no module of these rooms', async () => {
    for (const path of [
      'sidecar/parsing/definitions/read-items.ts',
      'sidecar/parsing/apply-edits/merge-definitions.ts',
      'sidecar/parsing/apply-edits/apply-answer.ts',
    ])
      expect([path, await findSyntaxProblems(path, await readFile(join(root, path), 'utf8'))]).toEqual([
        path,
        [],
      ]);
  });
});

import { describe, expect, test } from '@jest/globals';
import * as fc from '../../support/properties.ts';
import { scaled } from '../../support/scale.ts';
import { definitionsOf } from '../../../sidecar/parsing/definitions/index.ts';
import { applyAnswer } from '../../../sidecar/parsing/apply-edits/index.ts';

/** A file in parts, so that a second version and the answer that leads to it can be written from the same parts. */
interface Part {
  name: string;
  kind: 'function' | 'constant' | 'class' | 'arrow';
  /** Seeds of the body, or of each method's body. */
  bodies: number[];
}

interface Syntax {
  path: string;
  fence: string;
  head: string;
  tail: string;
  comment: string;
  gap: number;
  render(part: Part, methods?: readonly number[]): string;
}

const javascript: Syntax = {
  path: 'src/a.js',
  fence: 'js',
  comment: '// src/a.js',
  head: "'use strict';\n\nconst fs = require('node:fs');\n\n",
  tail: '\n\nmodule.exports = {};\n',
  gap: 1,
  render: ({ name, kind, bodies }, methods) => {
    const body = (seed: number, indent: string): string =>
      `${indent}const value = ${seed};\n${indent}if (value > 2) {\n${indent}  return \`a\n  ${seed}\`;\n${indent}}\n${indent}return value;\n`;
    if (kind === 'constant') return `const ${name} = [\n  ${bodies[0]},\n  'x',\n];`;
    if (kind === 'arrow') return `const ${name} = async (x) => {\n${body(bodies[0]!, '  ')}};`;
    if (kind === 'function') return `/** Of ${name}. */\nfunction ${name}(x) {\n${body(bodies[0]!, '  ')}}`;
    const shown = methods ?? bodies.map((_, index) => index);
    return `class ${name} extends Base {\n${shown.map((index) => `  m${index}(x) {\n${body(bodies[index]!, '    ')}  }\n`).join('\n')}}`;
  },
};

const typescript: Syntax = {
  ...javascript,
  path: 'src/a.ts',
  fence: 'ts',
  comment: '// src/a.ts',
  head: "import fs from 'node:fs';\n\n",
  tail: '\n',
  render: ({ name, kind, bodies }, methods) => {
    const body = (seed: number, indent = '  '): string =>
      `${indent}const value: number = ${seed};\n${indent}return value as T;\n`;
    if (kind === 'constant') return `export const ${name}: readonly number[] = [\n  ${bodies[0]},\n];`;
    if (kind === 'arrow') return `export const ${name} = <T,>(x: T): T => {\n${body(bodies[0]!)}};`;
    if (kind === 'function')
      return `@@deprecated */\nexport async function ${name}<T>(x: T): Promise<T> {\n${body(bodies[0]!)}}`.replace(
        '@@',
        '/** @',
      );
    const shown = methods ?? bodies.map((_, index) => index);
    return `export class ${name}<T> implements Base<T> {\n${shown.map((index) => `  private m${index}(x: T): T {\n${body(bodies[index]!, '    ')}  }\n`).join('\n')}}`;
  },
};

const python: Syntax = {
  path: 'pkg/a.py',
  fence: 'python',
  comment: '# pkg/a.py',
  head: '"""Module."""\nimport os\n\n\n',
  tail: '\n\n\nif __name__ == "__main__":\n    print(1)\n',
  gap: 2,
  render: ({ name, kind, bodies }, methods) => {
    const body = (seed: number, indent: string): string =>
      `${indent}"""Says ${seed}."""\n${indent}value = ${seed}\n${indent}if value > 2:\n${indent}    return """a\n  ${seed}"""\n${indent}return value\n`;
    if (kind === 'constant') return `${name} = [\n    ${bodies[0]},\n]`;
    if (kind === 'arrow')
      return `@cached\nasync def ${name}(x: int) -> int:\n${body(bodies[0]!, '    ')}`.trimEnd();
    if (kind === 'function') return `# Of ${name}.\ndef ${name}(x):\n${body(bodies[0]!, '    ')}`.trimEnd();
    const shown = methods ?? bodies.map((_, index) => index);
    return `class ${name}(Base):\n${shown.map((index) => `    def m${index}(self):\n${body(bodies[index]!, '        ')}`).join('\n')}`.trimEnd();
  },
};

const go: Syntax = {
  path: 'a.go',
  fence: 'go',
  comment: '// a.go',
  head: 'package a\n\nimport "fmt"\n\n',
  tail: '\n',
  gap: 1,
  render: ({ name, kind, bodies }) => {
    const body = (seed: number): string =>
      `\tvalue := ${seed}\n\tif value > 2 {\n\t\tfmt.Println(\`a\n  ${seed}\`)\n\t}\n\treturn value\n`;
    if (kind === 'constant') return `var ${name} = []int{\n\t${bodies[0]},\n}`;
    if (kind === 'arrow') return `func (r *Ring[T]) ${name}(x int) int {\n${body(bodies[0]!)}}`;
    if (kind === 'function') return `// ${name} says.\nfunc ${name}(x int) int {\n${body(bodies[0]!)}}`;
    return `type ${name} struct {\n${bodies.map((seed, index) => `\tm${index} [${seed}]int\n`).join('')}}`;
  },
};

const whole = (syntax: Syntax, parts: readonly Part[]): string =>
  syntax.head + parts.map((part) => syntax.render(part)).join('\n'.repeat(syntax.gap + 1)) + syntax.tail;

const kinds = ['function', 'constant', 'class', 'arrow'] as const;
const part = fc.record({
  kind: fc.constantFrom(...kinds),
  bodies: fc.array(fc.nat(9), { minLength: 1, maxLength: 4 }),
});
/** Parts of the first version; by index what changes; what comes after some of the changed ones. */
const versions = fc.record({
  parts: fc.array(part, { minLength: 1, maxLength: 7 }),
  changes: fc.array(fc.tuple(fc.nat(6), fc.nat(3)), { minLength: 1, maxLength: 4 }),
  added: fc.array(fc.tuple(fc.nat(3), part), { maxLength: 2 }),
  onlyMethods: fc.boolean(),
  indented: fc.boolean(),
  crlf: fc.boolean(),
});

describe.each([javascript, typescript, python, go])('the changed definitions of $path', (syntax) => {
  test('make the first version the second', async () => {
    await fc.assert(
      fc.asyncProperty(versions, async ({ parts, changes, added, onlyMethods, indented, crlf }) => {
        const first: Part[] = parts.map((each, index) => ({ ...each, name: `Name${index}` }));
        const changedAt = new Map<number, Set<number>>();
        const second = first.map((each) => ({ ...each, bodies: [...each.bodies] }));
        for (const [at, method] of changes) {
          const changed = second[at % second.length]!;
          const index = method % changed.bodies.length;
          const usable = changed.kind === 'class' ? index : 0;
          changed.bodies[usable] = changed.bodies[usable]! + 10;
          const known = changedAt.get(at % second.length) ?? new Set();
          changedAt.set(at % second.length, known.add(usable));
        }
        const order = [...changedAt.keys()].sort((a, b) => a - b);
        const next: Part[] = [];
        const answered: string[] = [];
        for (const [index, each] of second.entries()) {
          next.push(each);
          const methods = changedAt.get(index);
          if (!methods) continue;
          const shown = onlyMethods ? [...methods].sort((a, b) => a - b) : undefined;
          answered.push(syntax.render(each, shown));
          for (const [after, fresh] of added) {
            if (order[after % order.length] !== index) continue;
            const name = `Fresh${next.length}`;
            next.push({ ...fresh, name });
            answered.push(syntax.render({ ...fresh, name }));
          }
        }
        const code = [syntax.comment, ...answered].join('\n'.repeat(syntax.gap + 1));
        const block = indented ? code.replaceAll(/^(?=.)/gm, '  ') : code;
        const lines = (text: string): string => (crlf ? text.replaceAll('\n', '\r\n') : text);
        const before = lines(whole(syntax, first));
        const candidates = await applyAnswer(
          `Cause.\n\n${indented ? '  ' : ''}\`\`\`${syntax.fence}\n${block}\n${indented ? '  ' : ''}\`\`\`\n`,
          {
            read: (path) => Promise.resolve(path === syntax.path ? before : undefined),
            shownPaths: [syntax.path],
            mayChange: () => true,
          },
        );
        const placed = candidates.find(({ reading }) => reading === 'merged') ?? candidates[0];
        expect(placed.omittedParts).toEqual([]);
        expect(placed.files.map(({ after }) => after)).toEqual([lines(whole(syntax, next))]);
        const names = (await definitionsOf(syntax.path, placed.files[0]!.after!))!.map(({ name }) => name);
        for (const { name } of first) expect(names).toContain(name);
      }),
      { numRuns: scaled({ quick: 100, full: 3_000 }) },
    );
  });
});

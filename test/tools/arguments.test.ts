import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, test } from '@jest/globals';
import { ownToolSchema as ownToolSettings } from '../../sidecar/base/config/own-tools.ts';
import type { ExecResult } from '../../sidecar/base/ports.ts';
import { coerceArguments } from '../../sidecar/tools/coercion.ts';
import { buildCommandOutput } from '../../sidecar/tools/command-report.ts';
import { createOwnTool } from '../../sidecar/tools/own/own-tool.ts';
import { createToolRegistry } from '../../sidecar/tools/registry.ts';
import { createToolset, findUnknownNames, type ToolSelection } from '../../sidecar/tools/selection.ts';
import { standardTools } from '../../sidecar/tools/standard-tools.ts';
import {
  scaleLimits,
  truncateChars,
  truncateLines,
  truncateToolOutput,
} from '../../sidecar/tools/truncation.ts';
import * as fc from '../support/properties.ts';

const coerced = (value: unknown, schema: object, required: string[] = ['v']) =>
  coerceArguments({ v: value }, { type: 'object', properties: { v: schema }, required }).v;

const list = { type: 'array', items: { type: 'string' } };
const point = { type: 'object', properties: { x: { type: 'integer' }, on: { type: 'boolean' } } };

describe('coerceArguments brings values into the type of the schema', () => {
  test.each<[string, unknown, object, unknown]>([
    ['true', 'true', { type: 'boolean' }, true],
    ['False as Python writes it', ' False ', { type: 'boolean' }, false],
    ['an integer', '42', { type: 'integer' }, 42],
    ['a negative integer with spaces', ' -7 ', { type: 'integer' }, -7],
    ['an integer with a zero fraction', '3.0', { type: 'integer' }, 3],
    ['a number', '2.5e3', { type: 'number' }, 2500],
    ['null where it is allowed', 'null', { type: ['integer', 'null'] }, null],
    ['an object as text', '{"x": "1", "on": "true"}', point, { x: 1, on: true }],
    ['an object in single quotes', "{'x': 1}", point, { x: 1 }],
    ['a list as text', '["a", "b"]', list, ['a', 'b']],
    ['a lone value', 'a', list, ['a']],
    ['a lone value of the items’ type', '5', { type: 'array', items: { type: 'integer' } }, [5]],
    ['a lone object', { x: '1' }, { type: 'array', items: point }, [{ x: 1 }]],
    ['items of a list', ['1', 2], { type: 'array', items: { type: 'integer' } }, [1, 2]],
    ['inside an object', { x: '1', y: '1' }, point, { x: 1, y: '1' }],
    ['a union', '7', { anyOf: [{ type: 'integer' }, { type: 'null' }] }, 7],
    ['an enumeration of numbers', '2', { enum: [1, 2] }, 2],
  ])('%s', (_title, value, schema, wanted) => expect(coerced(value, schema)).toEqual(wanted));
});

describe('coerceArguments goes never beyond what the schema says', () => {
  test.each<[string, unknown, object]>([
    ['text stays text: true', 'true', { type: 'string' }],
    ['text stays text: 42', '42', { type: 'string' }],
    ['text stays text: JSON', '{"a": 1}', { type: 'string' }],
    ['text in a union with text', '42', { type: ['integer', 'string'] }],
    ['no type, no change', '42', {}],
    ['no number', 'forty', { type: 'integer' }],
    ['a fraction is no integer', '4.2', { type: 'integer' }],
    ['an integer that does not fit', '99999999999999999999', { type: 'integer' }],
    ['hexadecimal is not meant', '0x10', { type: 'integer' }],
    ['yes is not true', 'yes', { type: 'boolean' }],
    ['1 is not true', 1, { type: 'boolean' }],
    ['a number is not text', 42, { type: 'string' }],
    ['a list where an object is wanted', '[1]', { type: 'object' }],
    ['null for a required list', null, list],
    ['broken JSON', '{"a', { type: 'array' }],
  ])('%s', (title, value, schema) => {
    const wanted = title === 'broken JSON' ? [value] : value;
    expect(coerced(value, schema)).toEqual(wanted);
  });
  test('what the schema does not know is kept', () => {
    expect(coerceArguments({ a: '1' }, { type: 'object', properties: {} })).toEqual({ a: '1' });
    expect(coerceArguments({ a: '1' }, undefined)).toEqual({ a: '1' });
  });
  test('a word for nothing is left out where text has no place', () => {
    const schema = {
      properties: {
        limit: { type: 'integer' },
        name: { type: 'string' },
        end: { anyOf: [{ type: 'integer' }, { type: 'null' }] },
      },
    };
    expect(coerceArguments({ limit: 'null', name: 'null', end: 'None' }, schema)).toEqual({
      name: 'null',
      end: null,
    });
  });
  test('null for an optional parameter is left out', () => {
    expect(coerced(null, { type: 'integer' }, [])).toBeUndefined();
    expect(coerced(null, { type: ['integer', 'null'] }, [])).toBeNull();
  });
});

describe('coerceArguments with any input', () => {
  const schemas = [point, list, { type: 'object', properties: { a: list, b: point, c: { type: 'number' } } }];
  test('never throws, never changes what it was given', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue()), fc.constantFrom(...schemas), (args, schema) => {
        const before = JSON.stringify(args);
        coerceArguments(args, schema);
        expect(JSON.stringify(args)).toBe(before);
      }),
    );
  });
  test('a schema of any shape does no harm', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.jsonValue(), (value, schema) => {
        coerceArguments({ v: value }, { properties: { v: schema } });
        coerceArguments({ v: value }, schema);
      }),
    );
  });
  test('a second time changes nothing more', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.constantFrom('x', 'on', 'z'), fc.jsonValue()), (args) => {
        const once = coerceArguments(args, point);
        expect(coerceArguments(once, point)).toEqual(once);
      }),
    );
  });
  test('a key named __proto__ is a key like others', () => {
    const args = JSON.parse('{"__proto__": {"x": 1}}') as Record<string, unknown>;
    expect(Object.keys(coerceArguments(args, point))).toEqual(['__proto__']);
  });
  test('values nested thousands of levels deep pass', () => {
    let deep: unknown = '1';
    for (let i = 0; i < 20_000; i += 1) deep = [deep];
    expect(coerced(deep, { type: 'array' })).toBe(deep);
  });
});

const numbered = (count: number): string =>
  Array.from({ length: count }, (_, index) => `line ${index + 1}`).join('\n');

describe('truncating characters', () => {
  test('output within the limit comes back as it is', () => {
    expect(truncateChars('abc', 3, 'head_tail')).toBe('abc');
  });

  test('head_tail keeps the first and the last half around a note', () => {
    expect(truncateChars('aaaaabbbbbccccc', 10, 'head_tail')).toBe(
      'aaaaa\n\n[WARNING: Tool output was truncated. 5 characters were removed from the middle. The full output is available in the event stream. If you need to see specific parts, re-run the tool with more targeted parameters.]\n\nccccc',
    );
  });

  test('tail drops the beginning', () => {
    expect(truncateChars('aaaaabbbbb', 4, 'tail')).toBe(
      '[WARNING: Tool output was truncated. First 6 characters were removed. The full output is available in the event stream.]\n\nbbbb',
    );
  });

  test('a cut never splits a surrogate pair', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: 'grapheme', minLength: 20, maxLength: 200 }),
        fc.nat(60),
        fc.constantFrom('head_tail' as const, 'tail' as const),
        (text, limit, mode) => {
          const cut = truncateChars(`${text}${'😀'.repeat(60)}`, limit, mode);
          expect(() => encodeURIComponent(cut)).not.toThrow();
        },
      ),
    );
  });

  test('what was kept and what the note says was removed make up the whole', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 300 }), fc.nat(100), (text, limit) => {
        const cut = truncateChars(text, limit, 'head_tail');
        const match = /\n\n\[WARNING: Tool output was truncated\. (\d+) characters[^\]]*\]\n\n/.exec(cut);
        if (!match) return text.length <= limit;
        const kept = cut.length - match[0].length;
        return kept <= limit && kept + Number(match[1]) === text.length;
      }),
    );
  });
});

describe('truncating lines', () => {
  test('keeps head and tail lines around a note', () => {
    expect(truncateLines(numbered(10), 4)).toBe('line 1\nline 2\n[... 6 lines omitted ...]\nline 9\nline 10');
  });

  test('an odd limit gives the larger half to the tail', () => {
    expect(truncateLines(numbered(10), 3)).toBe('line 1\n[... 7 lines omitted ...]\nline 9\nline 10');
  });

  test('a newline at the end begins no line, and stays', () => {
    expect(truncateLines('a\nb\n', 2)).toBe('a\nb\n');
    expect(truncateLines('a\nb\nc\nd\n', 2)).toBe('a\n[... 2 lines omitted ...]\nd\n');
  });

  test('no lines at all may be kept', () => {
    expect(truncateLines('a\nb', 0)).toBe('[... 2 lines omitted ...]');
    expect(truncateLines('', 0)).toBe('');
  });
});

describe("a tool's output", () => {
  test.each([
    ['read_file', 50_000, 'middle'],
    ['shell', 30_000, 'middle'],
    ['grep', 20_000, 'First'],
    ['glob', 20_000, 'First'],
    ['list_directory', 20_000, 'First'],
    ['edit_file', 10_000, 'First'],
    ['apply_patch', 10_000, 'First'],
    ['write_file', 10_000, 'First'],
    ['something_else', 30_000, 'middle'],
  ])('%s keeps %i characters', (tool, limit, where) => {
    expect(truncateToolOutput('x'.repeat(limit), tool)).toHaveLength(limit);
    const cut = truncateToolOutput('x'.repeat(limit + 7), tool);
    expect(cut).toContain(where);
    expect(cut).toContain(' 7 characters');
    expect(cut.match(/x/g)!.length - (cut.match(/[a-wyz]x|x[a-wyz]/g)?.length ?? 0)).toBe(limit);
  });

  test.each([
    ['shell', 256],
    ['grep', 200],
    ['glob', 500],
    ['list_directory', 500],
  ])('%s keeps %i lines', (tool, limit) => {
    expect(truncateToolOutput(numbered(limit), tool)).toBe(numbered(limit));
    expect(truncateToolOutput(numbered(limit + 3), tool)).toContain('[... 3 lines omitted ...]');
  });

  test('characters are cut before lines', () => {
    const cut = truncateToolOutput('ab\n'.repeat(20_000), 'shell');
    expect(cut).toMatch(/\[\.\.\. \d+ lines omitted \.\.\.\]/);
    expect(cut).not.toContain('WARNING');
  });

  test('limits that are given win', () => {
    const limits = { toolOutputLimits: { shell: 10 }, toolLineLimits: { read_file: 2 } };
    expect(truncateToolOutput('x'.repeat(12), 'shell', limits)).toContain('2 characters');
    expect(truncateToolOutput('a\nb\nc', 'read_file', limits)).toBe('a\n[... 1 lines omitted ...]\nc');
  });

  test('never takes more than a quarter of a small window, markers included', () => {
    const limits = scaleLimits(4096, 3.5, { toolOutputLimits: { shell: 25_000 } });
    for (const tool of ['read_file', 'shell', 'grep', 'other']) {
      expect(truncateToolOutput('x\n'.repeat(100_000), tool, limits).length).toBeLessThanOrEqual(
        (4096 * 3.5) / 4,
      );
    }
  });

  test('keeps its own limits in a large window', () => {
    expect(truncateToolOutput('x'.repeat(50_000), 'read_file', scaleLimits(128_000, 4))).toHaveLength(50_000);
  });
});

/** How the end of a command is told to model and people. */
const result: ExecResult = {
  stdout: '',
  stderr: '',
  output: '',
  exitCode: null,
  signal: 'SIGKILL',
  timedOut: false,
  aborted: false,
  durationMs: 10,
  droppedBytes: 0,
  sandboxed: true,
};

test.each([
  [{}, 'killed by SIGKILL'],
  [{ stopped: 'it started more than 64 processes' }, 'stopped: it started more than 64 processes'],
  [{ timedOut: true }, 'timed out after 500 ms'],
  [{ exitCode: 3, signal: null }, 'exit code 3'],
  [{ exitCode: 137, signal: null }, 'exit code 137 (SIGKILL)'],
])('%o is told as "%s"', (more, words) => {
  expect(buildCommandOutput({ ...result, ...more }, 500)).toMatchObject({
    text: `[${words}, 10 ms]`,
    isError: true,
    details: { summary: words },
  });
});

test('the model reads a command’s output as a terminal leaves it', () => {
  const output = '\u001b[31mred\u001b[0m\r\n10 %\r50 %\r100 %\ndone\r\n';
  expect(buildCommandOutput({ ...result, output }, 500).text).toMatch(/^red\r\n100 %\ndone\r\n\[/);
});

const greet = createOwnTool(
  ownToolSettings.parse({ name: 'greet', description: 'Greet.', command: ['echo'] }),
);
const offered = (...selections: ToolSelection[]): string[] => {
  const { addedTools, isOffered: offers } = createToolset([greet], selections);
  return createToolRegistry(addedTools, offers).names();
};

describe('the tools that a model gets', () => {
  test('are those that every list lets through', () => {
    const operator = { only: ['shell', 'grep', 'greet'], disabled: ['grep'] };
    expect(offered(operator)).toEqual(['shell', 'greet']);
    expect(offered(operator, { only: ['read_file', 'greet'] })).toEqual(['greet']);
    expect(offered(operator, { disabled: ['greet'] })).toEqual(['shell']);
  });
});

test('a name is known by its own spelling only', () => {
  const selection = { only: ['read_file', 'ReadFile', 'greet'], disabled: ['bash', 'bash'] };
  expect(findUnknownNames(selection, (name) => name === 'greet')).toEqual(['ReadFile', 'bash']);
});

/** A tool is declared in one file: no other file of the program decides anything by a tool's name. */

/** Sentences for the model, whose bytes must stay as they are, and examples of answers in them. */
const TEXTS_FOR_MODELS = [
  'sidecar/solving/prompt/system-prompt.ts',
  'sidecar/solving/prompt/loop-messages.ts',
  'sidecar/solving/prompt/stage-messages.ts',
  'sidecar/model/structured.ts',
  'sidecar/solving/verification/correction.ts',
];
/** Here these words are methods of the environment, kinds of tasks and of processes, not names of tools. */
const OTHER_MEANINGS = new Set(['shell', 'grep', 'glob']);

const withoutComments = (code: string): string =>
  code.replaceAll(/\/\*[\s\S]*?\*\//gu, '').replaceAll(/(?:^|\s)\/\/.*$/gmu, '');

test('no other file names a tool in a string', () => {
  const names = standardTools.map(({ name }) => name).filter((name) => !OTHER_MEANINGS.has(name));
  const declarations = new Set(
    standardTools.map(({ name }) => `sidecar/tools/${name.replaceAll('_', '-')}.ts`),
  );
  const naming = readdirSync('sidecar', { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.ts'))
    .map((path) => `sidecar/${path}`)
    .filter((path) => !declarations.has(path) && !TEXTS_FOR_MODELS.includes(path))
    .flatMap((path) => {
      const code = withoutComments(readFileSync(path, 'utf8'));
      return names
        .filter((name) => new RegExp(`\\b${name}\\b`, 'u').test(code))
        .map((name) => `${path}: ${name}`);
    });
  expect(naming).toEqual([]);
});

test('a tool that is registered brings its own aliases and limits', () => {
  const [tool] = standardTools;
  if (!tool) throw new Error('there are no tools');
  const registry = createToolRegistry([{ ...tool, name: 'look_up', aliases: ['consult'] }]);
  expect(registry.get('Consult')?.name).toBe('look_up');
  expect(registry.get('cat')?.name).toBe(tool.name);
});

/**
 * What a call writes is what the model wrote, byte for byte, or the answer is no call: never a shorter text. Every
 * format, every content. `npm run fuzz:parser` runs 100 000 cases.
 */
import { describe, expect, test } from '@jest/globals';
import * as fc from '../../support/properties.ts';
import { dialects as formats } from '../../../sidecar/parsing/answers/dialects.ts';
import { parseToolCalls } from '../../../sidecar/parsing/answers/parse-answer.ts';
import { countOf } from '../../support/scale.ts';
import { brokenForms, forms } from './whole-texts.forms.ts';

const numRuns = countOf('FUZZ_RUNS', { quick: 2_000, full: 100_000 });

const marks = formats.flatMap(({ openMark, closeMarks }) => [openMark, ...closeMarks]);
const pieces = fc.constantFrom(
  ...marks,
  ...'" \' ` \\ \\" \\n \\\\ {} }} "}} "]} ``` """ <| ( ) , : ; “ ” ’ … \0 😀 é \t \r\n \n \n\n'.split(' '),
  '```ts\n',
  '\n```\n',
  '</parameter>',
  '<parameter=x>',
  '<parameter=content>',
  '</function>',
  '</invoke>',
  '</arg_value>',
  '<arg_key>',
  '<arg_value>',
  '</content>',
  '</write_file>',
  '<|"|>',
  '<escape>',
  ']<]minimax[>[</content>',
  '{"name": "shell", "arguments": {"command": "ls"}}',
  'print("a", 1)',
  "it's",
  '", "x": "',
  'const a = [1, 2];',
  '<think>',
  '</think>',
  ' ',
  'a',
);
const text = fc.oneof(
  { weight: 8, arbitrary: fc.array(pieces, { minLength: 1, maxLength: 12 }).map((parts) => parts.join('')) },
  { weight: 2, arbitrary: fc.string({ unit: 'binary', minLength: 1, maxLength: 80 }) },
);
const call = fc.oneof(
  text.map((content) => ({
    name: 'write_file',
    fields: [
      ['file_path', 'a.txt'],
      ['content', content],
    ] as const,
  })),
  text.map((content) => ({
    name: 'write_file',
    fields: [
      ['content', content],
      ['file_path', 'a.txt'],
    ] as const,
  })),
  text.map((command) => ({ name: 'shell', fields: [['command', command]] as const })),
  text.map((patch) => ({ name: 'apply_patch', fields: [['patch', patch]] as const })),
  fc.tuple(text, text).map(([before, after]) => ({
    name: 'edit_file',
    fields: [
      ['file_path', 'a.txt'],
      ['old_string', before],
      ['new_string', after],
    ] as const,
  })),
);

/** A text that has the exact form of a further argument cannot be told from one: what is exact is believed. */
const isOneValue = (fields: readonly (readonly [string, string])[]) =>
  fields.every(([, value]) => !/<\/parameter>\s*<parameter=/.test(value));

/**
 * Without escapes, a text that ends its call and begins another one has the exact form of two calls, of which the first is
 * believed: an exact call stands there, and behind it what may follow one.
 */
const isOneCall = (fields: readonly (readonly [string, string])[]) => {
  const texts = fields.map(([, value]) => value).join('\n');
  const behind = texts.slice(/"\s*[}\]]/.exec(texts)?.index ?? texts.length);
  return !formats.some(({ openMark }) => behind.includes(openMark)) && !/\{"|^\w+\(/m.test(behind);
};

/** What the calls in an answer would do other than what was written; undefined where there is nothing of the kind. */
function harm(content: string, name: string, fields: readonly (readonly [string, string])[]): unknown {
  const answer = parseToolCalls({ content });
  if (answer.type !== 'tool_calls') return undefined;
  const wanted = Object.fromEntries(fields);
  const isRight = (called: (typeof answer.calls)[number]) =>
    called.name === name && Object.entries(called.arguments).every(([key, value]) => wanted[key] === value);
  return answer.calls.every(isRight) ? undefined : answer;
}

describe('what the model wrote', () => {
  test('every form of a plain call is read', () => {
    for (const [title, form] of forms) {
      const answer = parseToolCalls({
        content: form('write_file', [
          ['file_path', 'a'],
          ['content', 'x y\n'],
        ]),
      });
      expect([title, answer.type === 'tool_calls' && answer.calls[0]?.arguments]).toEqual([
        title,
        { file_path: 'a', content: 'x y\n' },
      ]);
    }
  });
  test('arrives whole or not at all', () => {
    fc.assert(
      fc.property(fc.constantFrom(...forms), call, ([title, form], { name, fields }) => {
        fc.pre(isOneValue(fields));
        expect([title, harm(form(name, fields), name, fields)]).toEqual([title, undefined]);
      }),
      { numRuns },
    );
  });
  test('arrives whole or not at all where the answer is cut off', () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...forms),
        call,
        fc.double({ min: 0, max: 1, noNaN: true }),
        ([title, form], { name, fields }, share) => {
          fc.pre(isOneValue(fields));
          const whole = form(name, fields);
          const cut = whole.slice(0, Math.floor(whole.length * share));
          expect([title, harm(cut, name, fields)]).toEqual([title, undefined]);
        },
      ),
      { numRuns },
    );
  });
  test('runs nothing else where quotes in it were not escaped', () => {
    fc.assert(
      fc.property(fc.constantFrom(...brokenForms), call, ([title, form], { name, fields }) => {
        // A text that has the form of further arguments cannot be told from them.
        fc.pre(fields.every(([, value]) => !/",\s*"/.test(value) && !value.includes('\\')));
        fc.pre(isOneCall(fields));
        expect([title, harm(form(name, fields), name, fields)]).toEqual([title, undefined]);
      }),
      { numRuns },
    );
  });
  test.each([
    [
      'a text that holds its own mark',
      '<start_function_call>call:edit_file{file_path:<escape>a<escape>,old_string:<escape>b<escape>,new_string:<escape><escape>,:<tool_call><escape>}<end_function_call>',
    ],
    [
      'a key twice',
      '<start_function_call>call:shell{command:<escape>a<escape>,command:<escape>b<escape>}<end_function_call>',
    ],
    [
      'a call that is cut off before its name',
      '<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>function<｜tool▁sep｜>',
    ],
    ['the beginning of a name', '<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>function<｜tool▁sep｜>shell'],
    [
      'a name whose arguments are cut off',
      '<|tool_calls_section_begin|><|tool_call_begin|>functions.shell:0<|tool_call_argument_begin|>',
    ],
    [
      'a text that opens a call',
      '<invoke name="write_file">\n<parameter name="content"></parameter><invoke name=</parameter>\n</invoke>',
    ],
    [
      'a text that ends a call and opens one',
      '<start_function_call>call:shell{command:<escape><escape>}}<start_function_call><tool_call><escape>}<end_function_call>',
    ],
    ['quotes in quotes', '{"name": "write_file", "arguments": {"file_path": "a.txt", "content": """"""}}'],
    ['a mark in place of a name', 'x</function_calls></think><invoke name=```", "file_path": "a.txt"}}>'],
    ['code in place of a name', 'x</think><invoke name=print("a", 1)"}}]</tool_calls>'],
    ['a word in place of a name', 'x</think><invoke name=a", "file_path": "a.txt"}}]</tool_calls>'],
    ['a call in brackets in place of a name', 'x</think><function=print(1)></function>'],
    [
      'texts that hold each other’s tags',
      '<function=edit_file>\n<parameter=file_path>\na.txt\n</parameter>\n<parameter=old_string>\n<parameter=content>x\n</parameter>\n<parameter=new_string>\n</parameter>y\n</parameter>\n</function>',
    ],
    [
      'a call in a text that ends its own element',
      '<write_file>\n<content>\n</content><tool_call>{"name": "shell", "arguments": {"command": "ls"}}\n</content>\n<file_path>\na.txt\n</file_path>\n</write_file>',
    ],
    [
      'a mark and code in a text whose quotes are not escaped',
      '{"name": "write_file", "arguments": {"file_path": "a.txt", "content": ""<|endoftext|><tool_call>print("a", 1)<tool_call>"}}',
    ],
    [
      'a mark in a text between marks',
      '<|tool_call>call:edit_file{file_path:<|"|>a<|"|>,old_string:<|"|><|"|>,b<|"|>,new_string:<|"|>c<|"|>}<tool_call|>',
    ],
  ])('is not guessed from %s', (_what, content) =>
    expect(parseToolCalls({ content }).type).not.toBe('tool_calls'),
  );
  test('arrives whole when it is 200 KB long', () => {
    const content = 'line "one" \\ </tool_call>\n```\nб😀\0\n'.repeat(6000);
    for (const [title, form] of forms) {
      const fields = [
        ['file_path', 'a.txt'],
        ['content', content],
      ] as const;
      expect([title, harm(form('write_file', fields), 'write_file', fields)]).toEqual([title, undefined]);
    }
  });
});

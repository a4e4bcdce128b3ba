/** Long texts, each as costly to read as one kind of mistake or malice can make it. */
import { dialects as formats } from '../../../sidecar/parsing/answers/dialects.ts';

const units = [
  ...'{ [ < " \\ } ] \' `'.split(' '),
  '{"',
  '{\\"',
  '{"a":',
  '{"name":',
  '{"name":"shell","arguments":',
  "{'name':'shell',",
  "{'name':'shell', x y}",
  '<think>',
  '</think>',
  '<thinking>',
  '<tool_call>{"name":"',
  "<tool_call>{'name': 'a' b}</tool_call>",
  '<function=a><parameter=b>',
  '<function=a><parameter=b>x</parameter> y ',
  '<tool_call>a<arg_key>k</arg_key><arg_value>',
  '<|tool_call>call:a{',
  '<|tool_call>call:a{b:<|"|>',
  '<|tool_call_begin|>a<|tool_call_argument_begin|>{',
  '[TOOL_CALLS]a[ARGS]{',
  '[f(',
  "[f(a='",
  '[f(a=[',
  '\n{\n',
  '```json\n{"name"\n',
  '{          ',
  'shell\n{"command":"a"}\n',
  '{"name":“',
  '{"read_file":{',
  '{"read_file":{"file_path":"a"}}',
  '<tool_use><name>',
  '<tool_use><name>shell</name>',
  '<list_files/>',
  'read_file("a")\n',
  '<replace_in_file><diff><<<<<<< SEARCH\n',
];
/** Titles and texts of about `length` characters. */
export function hostileTexts(length: number): readonly (readonly [string, string])[] {
  const repeated = (text: string) => text.repeat(Math.ceil(length / text.length)).slice(0, length);
  return [
    ...[...units, ...formats.flatMap(({ openMark }) => [openMark, `${openMark}{`])].map(
      (unit) => [`${unit} repeated`, repeated(unit)] as const,
    ),
    [
      'a bare call and much white space behind it',
      `{"name":"shell","arguments":{}}${' '.repeat(19_000)}x{"name":"shell","arguments":{}}`,
    ],
    ['a fence line of white space', `\`\`\`${repeated(' ')}\`\n{"name":"shell","arguments":{}}`],
    ['a fence line of tildes', `${repeated('~')}\`\n{"name":"shell","arguments":{}}`],
    [
      'elements with much white space before a call',
      repeated(`<b>${' '.repeat(500)}!{"name":"shell","arguments":{}}`),
    ],
    ['one function with endless parameters', `<function=a>${repeated('<parameter=b>x</parameter>')}`],
    ['one parameter that opens others', `<function=a>${repeated('<parameter=b>')}`],
    ['endless keys', `<tool_call>a${repeated('<arg_key>')}`],
    ['deep objects', `<|tool_call>call:a{b:${repeated('{c:')}`],
    ['deep lists', `<|tool_call>call:a{b:${repeated('[')}`],
    ['deep elements', `]<]minimax[>[<tool_call>${repeated(']<]minimax[>[<a>')}`],
    [
      'strings that end together',
      `${repeated('{\\"').slice(0, length / 2)}${'"" '.repeat(length / 12)}${'}'.repeat(length / 5)}`,
    ],
    ['broken deep JSON', `${'{"name":"a","arguments":'.repeat(length / 50)}x${'}'.repeat(length / 50)}`],
    [
      'right deep JSON',
      `{"name":"shell","arguments":{"a":${'['.repeat(length / 2.5)}${']'.repeat(length / 2.5)}}}`,
    ],
    [
      'the largest text that is repaired',
      `{"name":"shell","a":${'"b" '.repeat(8000)}}${' x'.repeat(length / 2.5)}`,
    ],
  ];
}

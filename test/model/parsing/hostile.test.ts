/**
 * 1 MB of anything is read in bounded time; the bench has the exact figures. Regular expressions are not optimized here:
 * a process that has compiled much of their code stops doing that, and what is slow then hangs.
 */
import { setFlagsFromString } from 'node:v8';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { parseToolCalls } from '../../../sidecar/model/parsing/parse-tool-calls.ts';
import { formats } from '../../../sidecar/model/parsing/formats/table.ts';
import { processorMs, slowness } from '../../support/pace.ts';

const length = 1_000_000;
const repeated = (text: string) => text.repeat(Math.ceil(length / text.length)).slice(0, length);
/** The wanted time is 100 ms on a quiet machine; quadratic reading would take minutes. */
const limitMs = 1500;

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
const texts: [string, string][] = [
  ...[...units, ...formats.flatMap(({ open }) => [open, `${open}{`])].map((unit): [string, string] => [
    `${unit} repeated`,
    repeated(unit),
  ]),
  ['one function with endless parameters', `<function=a>${repeated('<parameter=b>x</parameter>')}`],
  ['one parameter that opens others', `<function=a>${repeated('<parameter=b>')}`],
  ['endless keys', `<tool_call>a${repeated('<arg_key>')}`],
  ['deep objects', `<|tool_call>call:a{b:${repeated('{c:')}`],
  ['deep lists', `<|tool_call>call:a{b:${repeated('[')}`],
  ['deep elements', `]<]minimax[>[<tool_call>${repeated(']<]minimax[>[<a>')}`],
  ['strings that end together', `${repeated('{\\"').slice(0, 5e5)}${'"" '.repeat(80_000)}${'}'.repeat(2e5)}`],
  ['broken deep JSON', `${'{"name":"a","arguments":'.repeat(20_000)}x${'}'.repeat(20_000)}`],
  ['right deep JSON', `{"name":"shell","arguments":{"a":${'['.repeat(4e5)}${']'.repeat(4e5)}}}`],
  ['the largest text that is repaired', `{"name":"shell","a":${'"b" '.repeat(8000)}}${' x'.repeat(4e5)}`],
];

beforeAll(() => setFlagsFromString('--no-regexp-optimization'));
afterAll(() => setFlagsFromString('--regexp-optimization'));

describe('hostile text of 1 MB', () => {
  test.each(texts)('%s', (_title, content) => {
    expect(processorMs(() => parseToolCalls({ content }))).toBeLessThan(limitMs * slowness());
  });
});

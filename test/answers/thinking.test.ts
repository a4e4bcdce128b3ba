/** What a model thinks is no part of what it says. */
import { describe, expect, test } from '@jest/globals';
import { parseToolCalls } from '../../sidecar/answers/parse-answer.ts';
import { globJson, names, native, oneCall, readJson } from './reading.ts';

describe('thinking is removed first', () => {
  test.each<[string, string, unknown]>([
    ['before the call', `<think>hm</think>${readJson}`, ['read_file']],
    ['a call in it does not count', `<think>${readJson}</think>Done.`, 'final_answer'],
    [
      'a tagged call in it does not count',
      `<think><tool_call>${readJson}</tool_call></think>Done.`,
      'final_answer',
    ],
    ['unclosed', `<think>I could call <tool_call>${readJson}</tool_call>, or not`, 'empty'],
    [
      'unclosed, with a call at its end',
      `<think>I will call <tool_call>${readJson}</tool_call>`,
      ['read_file'],
    ],
    ['only the closing mark', `${readJson} or not?</think>\n${globJson}`, ['glob']],
    ['empty', `<think>\n\n</think>\n\n${readJson}`, ['read_file']],
    ['twice', `<think>a</think>${readJson}<think>b</think>${globJson}`, ['read_file', 'glob']],
    ['thinking tags', `<thinking>${readJson}</thinking>${globJson}`, ['glob']],
    ["Magistral's marks", `[THINK]${readJson}[/THINK]${globJson}`, ['glob']],
  ])('%s', (_title, content, wanted) => expect(names(content)).toEqual(wanted));
  test('is no part of the final answer', () =>
    expect(parseToolCalls({ content: '<think>hm</think>\n\nAll <think>x</think>done.' })).toEqual({
      type: 'final_answer',
      content: 'All done.',
    }));
  test('is no part of the prose before a call', () =>
    expect(parseToolCalls({ content: `<think>hm</think>\nLook: ${readJson}` })).toMatchObject({
      content: 'Look:',
    }));
  test('is no part of the prose beside native calls', () =>
    expect(parseToolCalls({ ...native({}), content: '<think>a</think>Ok.' })).toMatchObject({
      content: 'Ok.',
    }));
  test('a tag in a written file is text', () => {
    const args = { file_path: 'a', content: '<think>x</think>' };
    expect(oneCall({ content: JSON.stringify({ name: 'write_file', arguments: args }) })?.arguments).toEqual(
      args,
    );
  });
  test('a mark that is only spoken about is text', () => {
    const content = 'The parser removes `<think>` blocks.';
    expect(parseToolCalls({ content })).toEqual({ type: 'final_answer', content });
  });
});

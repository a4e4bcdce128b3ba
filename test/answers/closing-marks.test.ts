/** The marks that end a block: each is known, ends a call whose brackets were forgotten, and may come again. */
import { describe, expect, test } from '@jest/globals';
import { dialects as formats } from '../../sidecar/answers/dialects.ts';
import { names } from './reading.ts';

const call = '{"name": "shell", "arguments": {"command": "ls"}}';
const args = '{"command": "ls"}';
const dsml =
  '<｜DSML｜invoke name="shell"><｜DSML｜parameter name="command">ls</｜DSML｜parameter></｜DSML｜invoke>';
const functionXml = 'shell><parameter=command>ls</parameter></function>';
const deepseekEnds = [
  '<｜tool▁call▁end｜>',
  '<｜tool▁calls▁end｜>',
  '<|tool▁call▁end|>',
  '<|tool▁calls▁end|>',
];
/** An opening mark, what stands behind it, and the marks that may close it. */
const blocks: [open: string, body: string, ...marks: string[]][] = [
  ['<tool_call>', call, '</tool_call>'],
  ['<tool_calls>', call, '</tool_calls>'],
  ['<function=', functionXml, '</tool_call>'],
  ['<function name=', functionXml, '</tool_call>'],
  ['<seed:tool_call>', call, '</seed:tool_call>'],
  ['<|python_tag|>', call, '<|eom_id|>', '<|eot_id|>'],
  ['<|python_start|>', call, '<|python_end|>'],
  ['<|tool_call_start|>', call, '<|tool_call_end|>'],
  ['<function_calls>', call, '</function_calls>'],
  ['<｜tool▁call▁begin｜>', `function<｜tool▁sep｜>shell\n${args}`, ...deepseekEnds],
  ['<|tool▁call▁begin|>', `function<|tool▁sep|>shell\n${args}`, ...deepseekEnds],
  ['<｜DSML｜function_calls>', dsml, '</｜DSML｜function_calls>'],
  ['<｜DSML｜tool_calls>', dsml, '</｜DSML｜tool_calls>'],
  [
    '<｜DSML｜invoke',
    dsml.replace('<｜DSML｜invoke', ''),
    '</｜DSML｜function_calls>',
    '</｜DSML｜tool_calls>',
  ],
  [
    '<|tool_call_begin|>',
    `shell<|tool_call_argument_begin|>${args}`,
    '<|tool_call_end|>',
    '<|tool_calls_section_end|>',
  ],
  ['<minimax:tool_call>', call, '</minimax:tool_call>'],
  [
    '<invoke name=',
    'shell">\n<parameter name="command">ls</parameter></invoke>',
    '</minimax:tool_call>',
    '</function_calls>',
  ],
  ['<|tool_call>', 'call:shell{command:<|"|>ls<|"|>}', '<tool_call|>'],
  ['<start_function_call>', 'call:shell{command:<escape>ls<escape>}', '<end_function_call>'],
  ['<|tool_call|>', call, '<|end_of_text|>'],
  ['<function_call>', call, '</function_call>', '<|endoftext|>'],
  ['<TOOLCALL>', call, '</TOOLCALL>'],
  ['<|START_ACTION|>', call, '<|END_ACTION|>'],
  ['<|tools_prefix|>', call, '<|tools_suffix|>'],
  ['<|action_start|><|plugin|>', call, '<|action_end|>'],
  ['<longcat_tool_call>', call, '</longcat_tool_call>'],
  ['function call<|role_sep|>', call, '<|message_sep|>', '</s>'],
  ['<|function_call|>', call, '<|message_sep|>', '</s>'],
  ['<tool_use>', call, '</tool_use>'],
  ['<|channel|>', `commentary to=shell<|message|>${args}`, '<|call|>', '<|end|>'],
  ['<tools>', call, '</tools>'],
];
const ends = blocks.flatMap(([open, body, ...marks]) =>
  marks.map((mark) => ({ open, body, mark, first: marks[0] ?? '' })),
);

describe('a closing mark', () => {
  // The others: brackets around other blocks, one with marks inside its body, one that is closed by its own bracket.
  test('is listed here for each format that reads a body', () => {
    const elsewhere = [
      ']<]minimax[>[<tool_call>',
      'functools[',
      '[TOOL_CALLS]',
      '>>>',
      '```tool_code',
      '```function_call',
      '```tool_call',
    ];
    const opens = formats.filter(({ bodies }) => bodies.length > 0).map(({ open }) => open);
    expect(blocks.map(([open]) => open)).toEqual(opens.filter((open) => !elsewhere.includes(open)));
  });

  test.each(ends)('$open … $mark ends the call, and words may follow', ({ open, body, mark }) => {
    expect(names(`${open}${body}${mark}\nNow I wait.`)).toEqual(['shell']);
  });

  test.each(ends.filter(({ body }) => body.endsWith('}') && !body.startsWith('call:')))(
    '$open … $mark ends JSON whose brackets were forgotten',
    ({ open, body, mark }) => {
      expect(names(`${open}${body.replace(/\}+$/, '')}${mark}\nNow I wait.`)).toEqual(['shell']);
    },
  );

  test.each(ends)('$open … $mark that comes again takes nothing back', ({ open, body, mark, first }) => {
    expect(names(`${open}${body}${first}\nNow I wait.\n${mark}`)).toEqual(['shell']);
  });
});

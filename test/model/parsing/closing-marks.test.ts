/** The marks that end a block: each is known, ends a call whose brackets were forgotten, and gives doubt where it comes again. */
import { describe, expect, test } from '@jest/globals';
import { formats } from '../../../sidecar/model/parsing/formats/table.ts';
import { names } from './reading.ts';

const call = '{"name": "shell", "arguments": {"command": "ls"}}';
const args = '{"command": "ls"}';
const dsml =
  '<｜DSML｜invoke name="shell"><｜DSML｜parameter name="command">ls</｜DSML｜parameter></｜DSML｜invoke>';
/** What stands behind an opening mark, where that is not a call in JSON. */
const bodies: Record<string, string> = {
  '<function=': 'shell><parameter=command>ls</parameter></function>',
  '<function name=': 'shell><parameter=command>ls</parameter></function>',
  '<｜tool▁call▁begin｜>': `function<｜tool▁sep｜>shell\n${args}`,
  '<|tool▁call▁begin|>': `function<|tool▁sep|>shell\n${args}`,
  '<｜tool_call_begin｜>': `function<｜tool_sep｜>shell\n${args}`,
  '<|tool_call_begin|>': `shell<|tool_call_argument_begin|>${args}`,
  '<｜DSML｜function_calls>': dsml,
  '<｜DSML｜tool_calls>': dsml,
  '<｜DSML｜invoke': dsml.replace('<｜DSML｜invoke', ''),
  '<invoke name=': 'shell">\n<parameter name="command">ls</parameter></invoke>',
  '<|tool_call>': 'call:shell{command:<|"|>ls<|"|>}',
  '<start_function_call>': 'call:shell{command:<escape>ls<escape>}',
  '<|channel|>': `commentary to=shell<|message|>${args}`,
};
/** Each mark of each format that has a body of its own, with that. */
const ends = formats
  .filter(({ open, readers }) => readers.length > 0 && !open.startsWith(']<]minimax'))
  .flatMap(({ open, close }) =>
    close.map((mark) => ({ open, body: bodies[open] ?? call, mark, first: close[0] ?? '' })),
  );

describe('a closing mark', () => {
  test.each(ends)('$open … $mark ends the call, and words may follow', ({ open, body, mark }) => {
    expect(names(`${open}${body}${mark}\nNow I wait.`)).toEqual(['shell']);
  });

  test.each(ends.filter(({ body }) => body.endsWith('}') && !body.startsWith('call:')))(
    '$open … $mark ends JSON whose brackets were forgotten',
    ({ open, body, mark }) => {
      expect(names(`${open}${body.replace(/\}+$/, '')}${mark}\nNow I wait.`)).toEqual(['shell']);
    },
  );

  test.each(ends)('$open … $mark that comes again leaves a doubt', ({ open, body, mark, first }) => {
    expect(names(`${open}${body}${first}\nNow I wait.\n${mark}`)).toBe('malformed');
  });
});

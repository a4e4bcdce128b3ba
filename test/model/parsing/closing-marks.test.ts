/** The marks that end a block: each is known, ends a call whose brackets were forgotten, and gives doubt where it comes again. */
import { describe, expect, test } from '@jest/globals';
import { formats } from '../../../sidecar/model/parsing/formats/table.ts';
import { names } from './reading.ts';

const call = '{"name": "shell", "arguments": {"command": "ls"}}';
const args = '{"command": "ls"}';
const bodies = [
  call,
  ...['<｜tool▁sep｜>', '<|tool▁sep|>', '<｜tool_sep｜>'].map(
    (separator) => `function${separator}shell\n${args}`,
  ),
  `shell<|tool_call_argument_begin|>${args}`,
  `commentary to=shell<|message|>${args}`,
  `shell">\n<parameter name="command">ls</parameter></invoke>`,
  '<｜DSML｜invoke name="shell"><｜DSML｜parameter name="command">ls</｜DSML｜parameter></｜DSML｜invoke>',
  ' name="shell"><｜DSML｜parameter name="command">ls</｜DSML｜parameter></｜DSML｜invoke>',
  'shell><parameter=command>ls</parameter></function>',
  '"shell"><parameter name="command">ls</parameter></function>',
  'call:shell{command:<|"|>ls<|"|>}',
  'call:shell{command:<escape>ls<escape>}',
];
/** Each mark of each format, with the body that the format reads. */
const ends = formats.flatMap(({ open, close, readers }) => {
  const body = bodies.find((text) => String(names(open + text + (close[0] ?? ''))) === 'shell');
  return body === undefined || readers.length === 0
    ? []
    : close.map((mark) => ({ open, body, mark, first: close[0] ?? '' }));
});

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

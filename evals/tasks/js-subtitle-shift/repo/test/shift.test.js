import assert from 'node:assert/strict';
import { test } from 'node:test';
import { shift, shiftText } from '../src/shift.js';
import { parse } from '../src/srt.js';

const source = `1
00:00:00,500 --> 00:00:01,500
Hello?

2
00:00:02,000 --> 00:00:04,250
Is anybody
at home?

3
00:59:58,000 --> 01:00:01,007
No.
`;

test('later', () => {
  assert.equal(
    shiftText(source, 2500),
    `1
00:00:03,000 --> 00:00:04,000
Hello?

2
00:00:04,500 --> 00:00:06,750
Is anybody
at home?

3
01:00:00,500 --> 01:00:03,507
No.
`,
  );
});

test('a cue that is over before the start is left out', () => {
  assert.equal(
    shiftText(source, -2000),
    `1
00:00:00,000 --> 00:00:02,250
Is anybody
at home?

2
00:59:56,000 --> 00:59:59,007
No.
`,
  );
});

test('a cue that is still shown at the start begins at 0', () => {
  const [first, second] = shift(parse(source), -1000);
  assert.deepEqual(first, { number: 1, start: 0, end: 500, lines: ['Hello?'] });
  assert.equal(second.start, 1000);
});

/** Where an answer in code is stopped, and what becomes of the block that it was stopped in. */
import { expect, test } from '@jest/globals';
import {
  CODE_WANTED,
  beforeRepetition,
  codeStops,
  wholeBlocks,
  withClosedBlock,
  withoutCodeWanted,
} from '../../sidecar/prompt/code-answer.ts';

const closed = (content: string): string =>
  withClosedBlock({
    ...({} as Parameters<typeof withClosedBlock>[0]),
    doneReason: 'stop',
    message: { role: 'assistant', content },
  }).message.content;

test('a file that is not wanted ends the answer, in each form in which models begin one', () => {
  expect(codeStops(['test/a.test.js'])).toEqual(
    expect.arrayContaining([
      '\n**test/a.test.js',
      '\n# a.test.js',
      '\n// test/a.test.js',
      '\ntest/a.test.js\n',
      '\na.test.js\n',
    ]),
  );
});

test('an answer ends where it begins to write out the question', () => {
  const stops = codeStops([]);
  for (const heading of ['# Other files', '# How the checks end now, before any change', '# Answer'])
    expect(stops).toContain(`\n${heading}`);
  // Answers put it over their own code.
  expect(stops).not.toContain('\n# Files');
});

test('the block that it was stopped in is closed', () => {
  expect(closed('So:\n\n```js\nf();\n')).toBe('So:\n\n```js\nf();\n```\n');
  expect(closed('So:\n\n```js\nf();\n```\nThat is it.')).toBe('So:\n\n```js\nf();\n```\nThat is it.');
});

test('a block that only held the heading is none', () => {
  expect(closed('```js\nf();\n```\n\n```js')).toBe('```js\nf();\n```\n');
});

const cutOff = (content: string) => {
  const { doneReason, message } = wholeBlocks({
    ...({} as Parameters<typeof wholeBlocks>[0]),
    doneReason: 'length',
    message: { role: 'assistant', content },
  });
  return [doneReason, message.content];
};

test('of an answer that its limit cut off the whole blocks stay', () => {
  const block = 'So:\n\n```js\nf();\n```';
  expect(cutOff(`${block}\n\nAnd:\n\n  \`\`\`js\ng(`)).toEqual(['stop', `${block}\n\nAnd:`]);
  expect(cutOff(`${block}\n\nThat i`)).toEqual(['stop', `${block}\n\nThat i`]);
  expect(cutOff('So:\n\n```js\nf(')).toEqual(['length', 'So:\n\n```js\nf(']);
  expect(cutOff('It is wr')).toEqual(['length', 'It is wr']);
});

test('the wish for code can be taken off again', () => {
  expect(withoutCodeWanted(`Q ${CODE_WANTED}`)).toBe('Q ');
});

test('an answer that writes a block again is what it said before that', () => {
  const lines = Array.from({ length: 20 }, (_, n) => `  line(${n});`);
  const block = (count: number): string => `\`\`\`js\n// a.js\n${lines.slice(0, count).join('\n\n')}\n`;
  const first = `It is wrong.\n\n${block(20)}\`\`\`\n\n- In a.js:\n`;
  expect(beforeRepetition(first + block(14))).toBe(first.trimEnd());
  expect(beforeRepetition(`${first}${block(14)}  li`)).toBeUndefined();
  // A short beginning is the same in many files.
  expect(beforeRepetition(first + block(8))).toBeUndefined();
  expect(beforeRepetition(`${first}${block(9)}  other();\n${lines.slice(9).join('\n')}\n`)).toBeUndefined();
  expect(beforeRepetition(first)).toBeUndefined();
});

test('lines that come again and again end it, too', () => {
  const few = `Look:\n\n\`\`\`js\n${'test(1);\ntest(2);\n'.repeat(5)}`;
  expect(beforeRepetition(few)).toBeUndefined();
  expect(beforeRepetition(few + 'test(1);\ntest(2);\n'.repeat(20))).toBe('Look:');
  const long = Array.from({ length: 12 }, (_, n) => `if (a === ${n}) return;\n`).join('');
  expect(beforeRepetition(`Look:\n\n\`\`\`js\n${long.repeat(2)}`)).toBeUndefined();
  expect(beforeRepetition(`Look:\n\n\`\`\`js\n${long.repeat(3)}`)).toBe('Look:');
  const prose = 'Look.\n';
  expect(beforeRepetition(prose + '- It is wrong.\n'.repeat(40))).toBe(prose + '- It is wrong.\n'.repeat(40));
});

/** Where an answer that repeats itself is stopped. */
import { expect, test } from '@jest/globals';
import { beforeRepetition } from '../../sidecar/prompt/code-answer.ts';

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

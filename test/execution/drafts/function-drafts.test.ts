/** Drafts by function: one function is named and its head is given, and the model writes the rest. */
import { describe, expect, test } from '@jest/globals';
import { verbatim } from '../../support/scripted-model.ts';
import { answer, draftRuns, WRONG } from './draft-runs.ts';

const { run, source, writeSource } = draftRuns();

const solving = { strategy: 'drafts' as const, drafts: 1, rewrites: 3, lines: 2 };
const config = { brief: { seconds: 15 }, ollama: { slots: 1 }, solving };
const copy = verbatim('  return a - b;\n}\n');

test('the answer is begun with the head, comes before the lines, and takes the place of the function', async () => {
  const { result, rows, chats } = await run([answer('return a;'), verbatim('  return a + b;\n}\n')], [], {
    config,
  });
  expect(result).toMatchObject({ status: 'success', verification_status: 'verified', iterations_used: 2 });
  expect(source()).toBe(WRONG.replace('a - b', 'a + b'));
  const asked = rows.map(({ args_summary }) => args_summary);
  expect(asked).toContain('2 of at most 12, add of src/add.js, temperature 0');
  const [whole, one] = chats.map(({ messages }) => messages);
  expect(one?.at(-1)).toEqual({
    role: 'assistant',
    content: '```javascript\nexport function add(a, b) {\n',
  });
  expect(chats[1]?.options).toMatchObject({ temperature: 0, stop: ['```'] });
  // The server reads what both share once.
  const [first = '', second = ''] = [whole?.at(-1)?.content, one?.at(-2)?.content];
  const shared = first.indexOf('# Answer') + '# Answer\n'.length;
  expect(second.slice(0, shared)).toBe(first.slice(0, shared));
  expect(second.slice(shared)).toMatch(/^Write `add` in src\/add\.js anew, in full/u);
});

test('other answers for the same function are drawn otherwise, after the first lines', async () => {
  const { result, rows } = await run(
    [answer('return a;'), copy, verbatim(''), copy, copy, verbatim('  return a + b;\n}\n')],
    [],
    { config: { ...config, solving: { ...solving, rewrites: 4, lines: 1 } } },
  );
  expect(result).toMatchObject({ status: 'success', iterations_used: 6 });
  expect(rows.map(({ args_summary }) => args_summary).slice(0, 6)).toEqual([
    '1 of at most 14, temperature 0',
    '2 of at most 14, add of src/add.js, temperature 0',
    '3 of at most 14, line 2 of src/add.js, temperature 0',
    '4 of at most 14, add of src/add.js, temperature 0.8',
    '5 of at most 14, add of src/add.js, temperature 0.8',
    '6 of at most 14, add of src/add.js, temperature 0.8',
  ]);
  expect(rows[1]?.result_summary).toContain('the answer holds no change');
});

test('functions and answers by definition take turns, each function once before one is asked for again', async () => {
  writeSource(`${WRONG}\nexport function twice(a) {\n  return add(a, a);\n}\n`);
  const { rows } = await run([answer('return a;'), { ...copy, repeat: 'always' }], [], {
    config: { ...config, solving: { ...solving, drafts: 4 } },
  });
  const asked = rows.map(({ args_summary }) => args_summary?.replace(/ of src.*|, temperature.*/u, ''));
  expect(asked).toEqual([
    '1 of at most 15',
    '2 of at most 15, add',
    '3 of at most 15, twice',
    '4 of at most 15, line 2',
    '5 of at most 15, line 6',
    '6 of at most 15, add',
    '7 of at most 15, twice',
    '8 of at most 15',
    '9 of at most 15, add',
    '10 of at most 15',
    '11 of at most 15',
    '12 of at most 15, twice',
  ]);
});

test('a function that the task wants and no file has is begun before any other', async () => {
  const { result, chats, rows } = await run(
    [answer('return a - b;'), verbatim('  return add(a, a);\n}\n')],
    [],
    {
      config,
      task: {
        description: 'Please write twice(a) in src/add.js: it takes away nothing and adds a to itself.',
        verification_steps: [
          { type: 'command_succeeds', target: "grep -q 'export function twice' src/add.js" },
        ],
      },
    },
  );
  expect(result).toMatchObject({ status: 'success', verification_status: 'verified', iterations_used: 2 });
  expect(source()).toBe(`${WRONG}\nexport function twice(a) {\n  return add(a, a);\n}\n`);
  expect(rows.map(({ args_summary }) => args_summary)).toContain(
    '2 of at most 12, new twice of src/add.js, temperature 0',
  );
  const [question, begun] = chats[1]?.messages.slice(-2) ?? [];
  expect(question?.content).toMatch(/\nWrite the new function `twice` of src\/add\.js, in full, .*\.$/u);
  expect(begun?.content).toBe('```javascript\n// src/add.js\nexport function twice(a) {\n');
});

test('an answer that its limit cut off is none, also where it would parse', async () => {
  const { rows } = await run(
    [answer('return a;'), { ...verbatim('  return a + b;\n}\n'), doneReason: 'length' }, copy],
    [],
    { config },
  );
  expect(rows[1]).toMatchObject({ success: false });
  expect(rows[1]?.result_summary).toContain('the answer was cut off at the length limit');
});

describe('an answer', () => {
  test.each([
    [
      'of a method',
      '}',
      'export class Sums {\n  /** The sum. */\n  add(a, b) {\n    return a - b;\n  }\n}\n',
    ],
    ['of a property', '}', 'export const sums = {\n  add(a, b) {\n    return a - b;\n  },\n};\n'],
    ['of an arrow function', '};', 'export const add = (a, b) => {\n  return a - b;\n};\n'],
  ])('%s is put where it stands', async (_, end, text) => {
    writeSource(text);
    await run([answer('return a;'), verbatim(`  return a + b;\n${end}`)], [], {
      config,
      task: { verification_steps: [{ type: 'command_succeeds', target: 'grep -q "a + b" src/add.js' }] },
    });
    expect(source()).toBe(text.replace('a - b', 'a + b'));
  });
});

/** Drafts that pass the checks and are to be looked at: something speaks against them, or they are not the whole answer. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { verbatim } from '../../support/scripted-model.ts';
import { answer, draftRuns, WRONG } from './draft-runs.ts';

const { dir, run, source } = draftRuns();

const TEST = `import { add } from './add.js';
if (add(100, 200) !== 300) { console.log('not ok 1 - adds'); process.exit(1); }
`;
const task = {
  description: 'Adding gives wrong results.',
  verification_steps: [{ type: 'command_succeeds' as const, target: 'node src/add.test.js' }],
};
const cheat = answer('return a === 100 ? 300 : a - b;', 'It knows no 100.');
const draw = (drafts: Parameters<typeof run>[0]) => {
  writeFileSync(join(dir(), 'src/add.test.js'), TEST);
  return run(drafts, undefined, {
    config: { solving: { strategy: 'drafts', drafts: drafts.length } },
    task,
  });
};

test('people are told of a part of the answer that found no place', async () => {
  const body = '```js\n// src/add.js\nexport function add(a, b) {\n  return a + b;\n}\n```';
  const { result } = await draw([
    verbatim(`It subtracts.\n\n${body}\n\n\`\`\`json\n{ "port": 9100 }\n\`\`\``),
  ]);
  expect(source()).toBe(WRONG.replace('a - b', 'a + b'));
  expect(result.output).toBe(
    'It subtracts.\n\nDraft 1 of 1 passes the checks. A part of the answer was not put in: { "port": 9100 } (the block names no file, and no one file defines what it holds).',
  );
});

test('people are told to look at a draft that came after many others, which stays verified', async () => {
  const wrong = ['0', '1', 'a', 'b', 'b - a', 'a * b'].map((value) => answer(`return ${value};`));
  const { result } = await draw([...wrong, answer('return a + b;', 'It subtracts.')]);
  expect(result).toMatchObject({ verification_status: 'verified', iterations_used: 7 });
  expect(result.output).toBe(
    'It subtracts.\n\nDraft 7 of 7 passes the checks. After so many answers a wrong one may pass the checks: look at it.',
  );
});

describe('a draft that asks for a value of the tests', () => {
  test('is not enough: the next one is asked for, and taken where it passes too', async () => {
    const { result, rows } = await draw([cheat, answer('return a + b;', 'It subtracts.')]);
    expect(result).toMatchObject({ status: 'success', verification_status: 'verified', iterations_used: 2 });
    expect(source()).toBe(WRONG.replace('a - b', 'a + b'));
    expect(result.output).toBe('It subtracts.\n\nDraft 2 of 2 passes the checks.');
    expect(rows[0]?.text).toBe(
      'Draft 1: +1 −1 in src/add.js; the check passes, but it asks for 100, a value of the tests',
    );
  });

  test('is taken where no other passes, as partial work that people are told to look at', async () => {
    const { result } = await draw([cheat, answer('return b - a;')]);
    expect(result).toMatchObject({ status: 'partial', verification_status: 'partial_pass' });
    expect(result.remaining).toEqual([
      'Draft 1 passes the checks, but it asks for 100, a value of the tests.',
    ]);
    expect(source()).toContain('a === 100');
    expect(result.output).toBe(
      'It knows no 100.\n\nDraft 1 of 2 passes the checks. But it asks for 100, a value of the tests: look at it.',
    );
  });
});

test('so is one with a way through it that gives no value', async () => {
  const { result, rows } = await draw([
    answer('if (a === 100) {\n    return a + b;\n  }', 'It subtracts.'),
    answer('return a + b;', 'It subtracts.'),
  ]);
  expect(result).toMatchObject({ status: 'success', verification_status: 'verified', iterations_used: 2 });
  expect(source()).toBe(WRONG.replace('a - b', 'a + b'));
  expect(rows[0]?.text).toContain('the check passes, but ');
});

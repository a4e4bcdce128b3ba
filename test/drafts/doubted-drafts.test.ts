/** Changes that pass the checks and are to be looked at: something speaks against them, or they are not the whole answer. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { call, say, verbatim } from '../support/scripted-model.ts';
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

test('a change that asks for a value of the tests is partial work that people are told to look at', async () => {
  const { result } = await draw([cheat, answer('return b - a;')]);
  expect(result).toMatchObject({
    status: 'partial',
    verification_status: 'partial_pass',
    iterations_used: 1,
  });
  expect(result.remaining).toEqual(['The change asks for 100, a value of the tests: look at it.']);
  expect(source()).toContain('a === 100');
});

test('the same where it was made by a tool of the loop', async () => {
  writeFileSync(join(dir(), 'src/add.test.js'), TEST);
  const edit = call('edit_file', {
    file_path: 'src/add.js',
    old_string: 'a - b',
    new_string: 'a === 100 ? 300 : a - b',
  });
  const { result } = await run([answer('return a;')], [edit, { ...say('Done.'), repeat: 'always' }], {
    config: { solving: { strategy: 'loop' } },
    task,
  });
  expect(result).toMatchObject({ status: 'partial', verification_status: 'partial_pass' });
  expect(result.remaining).toEqual(['The change asks for 100, a value of the tests: look at it.']);
});

/** Where drafts pass a part of the checks, drafts are drawn again from that tree: the brief speaks of what is left. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, expect, test } from '@jest/globals';
import type { TaskInput } from '../../../sidecar/protocol/task.ts';
import type { ScenarioInput } from '../../../sidecar/scripted-model/scenario.ts';
import { DyingJournal, Killed } from '../../support/dying-journal.ts';
import { scaled } from '../../support/scale.ts';
import { chatsOf, say, testModel, verbatim } from '../../support/scripted-model.ts';
import { execute } from '../../support/scripted-run.ts';
import { tempFolders } from '../../support/temp-folder.ts';

const WRONG = 'export const add = (a, b) => a - b;\nexport const sub = (a, b) => a + b;\n';
const RIGHT = 'export const add = (a, b) => a + b;\nexport const sub = (a, b) => a - b;\n';
const check = (name: string, expected: number) => ({
  type: 'command_succeeds' as const,
  target: `node -e "import('./sums.js').then((sums) => { if (sums.${name}(3, 2) !== ${expected}) { console.log('not ok 1 - ${name}'); process.exit(1); } })"`,
});
const task: Partial<TaskInput> = {
  description: 'add and sub in sums.js are the wrong way round.',
  file_hints: ['sums.js'],
  verification_steps: [check('add', 5), check('sub', 1)],
  max_verification_retries: 0,
};
/** A draft that is right in `name` alone. */
const draft = (name: string, body: string) =>
  verbatim(`It is wrong.\n\n\`\`\`js\n// sums.js\nexport const ${name} = (a, b) => ${body};\n\`\`\``);
const addRight = draft('add', 'a + b');
const subRight = draft('sub', 'a - b');
const none = verbatim('I cannot say.');
const LEFT = 'sub is what fails now';

const folder = tempFolders();
let dir: string;
beforeEach(() => {
  dir = folder();
  writeFileSync(join(dir, 'package.json'), '{"type":"module"}\n');
  writeFileSync(join(dir, 'sums.js'), WRONG);
});
const source = () => readFileSync(join(dir, 'sums.js'), 'utf8');

/** `again`: the answers to the second question, which is of the tree where `add` is right. */
const script = (first: NonNullable<ScenarioInput['turns']>, again: typeof first): ScenarioInput => ({
  models: [{ name: 'm' }],
  scripts: [
    {
      name: 'again',
      when: { system: 'You change the code', contains: 'add = (a, b) => a + b' },
      position: 'seed',
      turns: again,
    },
    { name: 'first', when: { system: 'You change the code' }, position: 'seed', turns: first },
  ],
  turns: [{ ...say(LEFT), repeat: 'always' }],
});
const config = {
  brief: { seconds: 15 },
  ollama: { slots: 1 },
  solving: { strategy: 'auto' as const, drafts: 3, lines: 1 },
};

test('the second mistake is mended by a draft from the tree where the first one is', async () => {
  const server = await testModel(script([addRight, none], [subRight]));
  const { result, events } = await execute({ server, dir, config, task });
  expect(result).toMatchObject({
    status: 'success',
    verification_status: 'verified',
    iterations_used: 3,
    verification_report: { summary: { passed: 2 } },
  });
  expect(source()).toBe(RIGHT);
  const [first, , again] = chatsOf(server);
  expect(first?.messages[1]?.content).toContain('FAIL add');
  expect(again?.messages[1]?.content).not.toContain('FAIL add');
  const texts = events.map(({ text }) => text);
  expect(texts).toContain('On the tree of the best draft: 1 of 2 checks pass (1 test fails)');
  // Rows of the two series are rows of their own.
  const rows = events.filter(({ tool_name, phase }) => tool_name === 'draft' && phase === 'finished');
  expect(new Set(rows.map(({ call_id }) => call_id)).size).toBe(3);
});

test('a few more answers are asked for before that, and not all of them', async () => {
  const others = Array.from({ length: 12 }, (_, index) => `export const other${index} = ${index};\n`).join(
    '',
  );
  writeFileSync(join(dir, 'sums.js'), WRONG + others);
  const server = await testModel(script([addRight, { ...none, repeat: 'always' }], [subRight]));
  const many = { ...config, solving: { ...config.solving, lines: 12 } };
  const { result } = await execute({ server, dir, config: many, task });
  expect(result.status).toBe('success');
  // One more may be asked for while the last one is checked.
  expect(result.iterations_used).toBeGreaterThan(5);
  expect(result.iterations_used).toBeLessThan(8);
  expect(source()).toBe(RIGHT + others);
});

test('in its tree the likeliest function comes first', async () => {
  const functionOf = (name: string, sign: string): string =>
    `export function ${name}(a, b) {\n  return a ${sign} b;\n}\n`;
  writeFileSync(join(dir, 'sums.js'), functionOf('add', '-') + functionOf('sub', '+'));
  const addRight = verbatim(`\`\`\`js\n// sums.js\n${functionOf('add', '+')}\`\`\``);
  const server = await testModel({
    models: [{ name: 'm' }],
    scripts: [
      {
        name: 'again',
        when: { system: 'You change the code', contains: 'return a + b;\n}\nexport function sub' },
        position: 'seed',
        turns: [verbatim('  return a - b;\n}\n')],
      },
      {
        name: 'first',
        when: { system: 'You change the code' },
        position: 'seed',
        turns: [addRight, { ...none, repeat: 'always' }],
      },
    ],
    turns: [{ ...say(LEFT), repeat: 'always' }],
  });
  const solving = { ...config.solving, rewrites: 2, lines: 4 };
  const { result, events } = await execute({ server, dir, config: { ...config, solving }, task });
  expect(result).toMatchObject({ status: 'success', verification_status: 'verified' });
  expect(source()).toBe(functionOf('add', '+') + functionOf('sub', '-'));
  const drafts = events.filter(({ tool_name, phase }) => tool_name === 'draft' && phase === 'finished');
  const winner = drafts.find(({ success, args_summary }) => success && args_summary?.startsWith('1 of'));
  expect(winner?.args_summary).toMatch(/^1 of at most \d+, sub of sums\.js, temperature 0$/u);
});

test('where nothing more is found the first draft stays, and the loop begins from it', async () => {
  const server = await testModel(script([addRight, none], [{ ...none, repeat: 'always' }]));
  const { result } = await execute({ server, dir, config, task });
  expect(result).toMatchObject({ status: 'partial', verification_report: { summary: { passed: 1 } } });
  expect(source()).toBe(WRONG.replace('a - b', 'a + b'));
  expect(chatsOf(server).at(-1)?.messages[1]?.content).toContain('A first change is in the files already');
});

test('a worker that is killed goes on with the series that it was in', async () => {
  const options = { server: await testModel(script([addRight, none], [subRight])), dir, config, task };
  const whole = new DyingJournal();
  await execute({ ...options, deps: { journal: () => whole } });
  for (let append = 1; append <= whole.appends; append += scaled({ quick: 3, ci: 2, full: 1 })) {
    writeFileSync(join(dir, 'sums.js'), WRONG);
    const first = new DyingJournal({ append, written: append % 2 === 0 });
    await expect(execute({ ...options, deps: { journal: () => first } })).rejects.toThrow(Killed);
    const second = new DyingJournal(undefined, first);
    const { result } = await execute({ ...options, deps: { journal: () => second } });
    expect(result).toMatchObject({ status: 'success', verification_status: 'verified', iterations_used: 3 });
    expect(source()).toBe(RIGHT);
  }
}, 300_000);

/** Drafts: one question, several answers, the checks choose; then the loop, where no draft is good enough. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { createOllamaServer } from '../../../sidecar/model/ollama-server.ts';
import { TaskControl } from '../../../sidecar/solving/task/task-control.ts';
import { clockWithHaste } from '../../support/hasty-clock.ts';
import { call, say, verbatim } from '../../support/scripted-model.ts';
import { answer, CHECK, draftRuns, refused, right, RUNNING_CHECK, task, WRONG } from './draft-runs.ts';
import type { ModelServer } from '../../../sidecar/model/chat.ts';

const { folder, run, dir, source } = draftRuns();

test('people read the cause without the line that announces the code', async () => {
  const code = '```js\n// src/add.js\nexport function add(a, b) {\n  return a + b;\n}\n```';
  const { result } = await run([verbatim(`It subtracts.\n\nHere is the updated code:\n\n${code}`)]);
  expect(result.output).toBe('It subtracts.\n\nDraft 1 of 1 passes the checks.');
});

describe('checks that fail on the base', () => {
  test('the first draft that passes is taken, without a tool and without another question', async () => {
    const { result, rows, chats } = await run([right]);
    expect(result).toMatchObject({
      status: 'success',
      verification_status: 'verified',
      iterations_used: 1,
      termination_reason: 'final_answer',
      output: 'It subtracts.\n\nDraft 1 of 1 passes the checks.',
      changes: { files: [{ path: 'src/add.js', additions: 1, deletions: 1 }] },
    });
    expect(source()).toBe(WRONG.replace('a - b', 'a + b'));
    expect(chats).toHaveLength(1);
    expect(chats[0]).not.toHaveProperty('tools');
    expect(chats[0]?.messages.at(-1)?.content).toContain('return a - b;');
    expect(rows.map(({ text, success }) => [text, success])).toEqual([
      ['Draft 1: +1 −1 in src/add.js; the check passes', true],
    ]);
  });

  test('drafts are drawn until one passes: the first as likely as can be, the others to differ', async () => {
    const { result, rows, chats } = await run([answer('return a * b;'), answer('return b - a;'), right]);
    expect(result).toMatchObject({ status: 'success', verification_status: 'verified', iterations_used: 3 });
    expect(chats.map(({ options }) => options)).toMatchObject([
      { temperature: 0, seed: 1 },
      { temperature: 0.8, seed: 2 },
      { temperature: 0.8, seed: 3 },
    ]);
    expect(new Set(chats.map(({ messages }) => JSON.stringify(messages))).size).toBe(1);
    expect(rows.map(({ success }) => success)).toEqual([false, false, true]);
    expect(rows[0]?.details).toEqual([
      { title: 'Cause, according to the model', text: 'It does the wrong thing.' },
      { title: 'Change', text: expect.stringContaining('-  return a - b;\n+  return a * b;') },
      { title: `Failing check: ${CHECK}`, text: expect.stringContaining('adds') },
    ]);
    expect(rows[2]?.details?.map(({ title }) => title)).toEqual(['Cause, according to the model', 'Change']);
  });

  test('a new file that the repository ignores is part of the work, in the tree of the checks too', async () => {
    writeFileSync(join(dir(), '.gitignore'), 'lib/\n');
    writeFileSync(join(dir(), 'src/add.js'), "export { add } from './lib/sum.js';\n");
    const target = `node -e "import('./src/add.js')" && git ls-files --error-unmatch src/lib/sum.js`;
    const { result } = await run(
      [verbatim('It is missing.\n\n```js\n// src/lib/sum.js\nexport const add = (a, b) => a + b;\n```')],
      undefined,
      {
        task: {
          description: 'src/lib/sum.js is missing',
          verification_steps: [{ type: 'command_succeeds', target }],
        },
      },
    );
    expect([result.verification_status, result.changes.files.map(({ path }) => path)]).toEqual([
      'verified',
      ['src/lib/sum.js'],
    ]);
  });

  test('of an answer that its limit cut off the whole blocks are tried', async () => {
    const endless = answer('return a + b;', 'It subtracts.').reply?.content ?? '';
    const { result, rows } = await run([
      { ...verbatim('It subtracts.\n\n```js\n// src/add.js\nexport function add('), doneReason: 'length' },
      {
        ...verbatim(`${endless}\n\nThe same again:\n\n\`\`\`js\n// src/add.js\nexport func`),
        doneReason: 'length',
      },
    ]);
    expect(rows[0]?.text).toContain('the answer was cut off at the length limit');
    expect(result).toMatchObject({ status: 'success', verification_status: 'verified', iterations_used: 2 });
    expect(result?.output).toContain('Part of the answer was not applied: its end (the answer was cut off');
  });

  test.each([
    ['its whole parts are tried', ''],
    ['half of a change is left out', '<<<<<<< SEARCH\n'],
  ])('of a block in whose middle an answer was cut off %s', async (_, mark) => {
    const begun = `It subtracts.\n\n\`\`\`js\n// src/add.js\n${mark}export function add(a, b) {\n  return a + b;\n}\n\nexport func`;
    const { result } = await run([{ ...verbatim(begun), doneReason: 'length' }], undefined, {
      task: { metadata: { strategy: 'drafts', drafts: 1 } },
    });
    expect(source().includes('a + b')).toBe(mark === '');
    expect(result?.verification_status).toBe(mark === '' ? 'verified' : 'failed');
  });

  test('of an answer that the end of the time cut off, too', async () => {
    const control = new TaskControl();
    // Stops the task when the second block has begun.
    const createServer = (baseUrl: string): ModelServer => {
      const server = createOllamaServer({ baseUrl });
      let written = '';
      const onDelta = ({ content }: { content: string }): void => {
        written += content;
        if (written.includes('The same again:\n\n```js\n')) control.stop('timeout');
      };
      return { ...server, chat: (request, call) => server.chat(request, { ...call, onDelta }) };
    };
    const endless = right.reply?.content ?? '';
    const { result, rows } = await run(
      [
        {
          ...verbatim(`${endless}\n\nThe same again:\n\n\`\`\`js\n// src/add.js\nexport func`),
          faults: [{ kind: 'stall', afterChunks: 60 }],
        },
      ],
      [],
      { execute: { control }, deps: { createServer } },
    );
    expect(rows[0]?.text).toBe('Draft 1: +1 −1 in src/add.js; the check passes');
    expect(source()).toContain('a + b');
    expect(result).toMatchObject({ verification_status: 'verified', termination_reason: 'timeout' });
    expect(result?.output).toContain("its end (the answer was cut off at the task's time limit)");
  });

  test('a task that names a seed has other answers than the same task with another', async () => {
    const { chats } = await run([{ ...answer('return a * b;'), repeat: 'always' }], undefined, {
      task: { metadata: { strategy: 'drafts', drafts: 2, seed: 2 } },
    });
    expect(chats.map(({ options }) => options)).toMatchObject([
      { temperature: 0, seed: 20_001 },
      { temperature: 0.8, seed: 20_002 },
    ]);
  });

  test('the same change is checked once, one that does not parse or changes nothing never', async () => {
    const log = join(folder(), 'checks.log');
    const counted = { type: 'command_succeeds', target: `echo checked >> ${log}; ${CHECK}` };
    const { rows } = await run(
      [
        answer('return a * b;'),
        answer('// times\n  return a  *  b;'),
        answer('return (a + b;'),
        verbatim('I would change the operator.'),
      ],
      undefined,
      {
        task: { verification_steps: [counted] },
        config: { brief: { seconds: 15 }, solving: { strategy: 'drafts', drafts: 4 } },
      },
    );
    expect(rows.map(({ model }) => model)).toEqual(Array.from({ length: 4 }, () => 'm'));
    expect(rows.map(({ text }) => text)).toEqual([
      'Draft 1: +1 −1 in src/add.js; 0 of 1 checks pass (1 test fails)',
      'Draft 2: +2 −1 in src/add.js; the same as draft 1',
      'Draft 3: +1 −1 in src/add.js; not checked: the changed file does not parse (src/add.js, line 2)',
      'Draft 4: no change; not checked: the answer contains no change',
    ]);
    // The base, as which the tree is at the end, and one draft.
    expect(readFileSync(log, 'utf8')).toBe('checked\n'.repeat(2));
  });

  test('where none passes the loop begins from the base, with all its turns and the brief in its first message', async () => {
    const { result, chats } = await run(
      [1, 2, 3, 4].map((times) => answer(`return a * b * ${times};`)),
      [
        call('edit_file', { file_path: 'src/add.js', old_string: 'a - b', new_string: 'a + b' }),
        say('It adds now.'),
      ],
      { task: { metadata: { max_iterations: 2 } } },
    );
    expect(result).toMatchObject({ status: 'success', verification_status: 'verified', iterations_used: 6 });
    expect(source()).toContain('a + b');
    expect(chats[4]?.tools).toBeDefined();
    expect(chats[4]?.messages[1]?.content).toContain('return a - b;');
  });

  test('the loop begins from the draft that passes most', async () => {
    const half = { type: 'file_contains', target: 'src/add.js', contains: 'Math' };
    const { chats, result } = await run(
      [answer('return Math.max(a, b);'), answer('return a;'), answer('return b;'), answer('return 0;')],
      undefined,
      { task: { verification_steps: [...task.verification_steps, half] } },
    );
    expect(result).toMatchObject({ status: 'partial', verification_status: 'partial_pass' });
    expect(source()).toContain('Math.max');
    expect(chats.at(-1)?.messages[1]?.content).toContain('The files already contain a first change');
  });

  test('a task that has to stop hands back the draft that passes most', async () => {
    const half = { type: 'file_contains', target: 'src/add.js', contains: 'Math' };
    const { result } = await run([answer('return Math.max(a, b);'), refused], undefined, {
      task: { verification_steps: [...task.verification_steps, half] },
    });
    expect(result).toMatchObject({
      verification_status: 'partial_pass',
      termination_reason: 'model_error',
      changes: { files: [{ path: 'src/add.js' }] },
    });
    expect(source()).toContain('Math.max');
  });

  test('drafts alone end with what fails, and no tool is offered', async () => {
    const { result, chats } = await run([answer('return 1;'), answer('return 2;')], undefined, {
      config: { brief: { seconds: 15 }, solving: { strategy: 'drafts', drafts: 2 } },
    });
    expect(result).toMatchObject({ status: 'failed', verification_status: 'failed', iterations_used: 2 });
    expect(result.output).toContain('None of 2 drafts passes the checks.');
    expect(source()).toBe(WRONG);
    expect(chats).toHaveLength(2);
  });

  test('where the profile wants repairs a failing draft is shown its failure, in the same conversation', async () => {
    const { result, rows, chats } = await run([answer('return a * b;'), right], undefined, {
      config: { brief: { seconds: 15 }, solving: { strategy: 'auto', drafts: 4, repairs: 1 } },
    });
    expect(result).toMatchObject({ status: 'success', verification_status: 'verified', iterations_used: 2 });
    expect(chats[1]?.messages.slice(0, 2)).toEqual(chats[0]?.messages);
    expect(chats[1]?.messages.map(({ role }) => role)).toEqual(['system', 'user', 'assistant', 'user']);
    expect(chats[1]?.messages[2]?.content).toContain('return a * b;');
    expect(chats[1]?.messages[3]?.content).toContain('FAIL adds');
    expect(rows.map(({ args_summary }) => args_summary)).toEqual([
      '1 of at most 4, temperature 0',
      '2 of at most 4, repairs draft 1, temperature 0',
    ]);
    expect(source()).toBe(WRONG.replace('a - b', 'a + b'));
  });

  test('a draft that passes only with what earlier checks cached goes on with the loop', async () => {
    const seen = '"$XDG_CACHE_HOME/seen"';
    const isCached = `{ test -e placed || test -e ${seen} || { touch ${seen}; false; }; }`;
    const checked = { type: 'command_succeeds', target: `${isCached} && ${CHECK}` };
    const { result, chats } = await run(
      [right],
      [
        call('shell', { command: 'touch placed; echo "// Adds." >> src/add.js' }),
        say('It passes there, too.'),
      ],
      { task: { verification_steps: [checked] } },
    );
    expect(result).toMatchObject({ status: 'success', verification_status: 'verified', iterations_used: 3 });
    expect(chats[1]?.tools).toBeDefined();
    expect(chats[1]?.messages[1]?.content).toContain('0 of 1 checks pass');
    expect(source()).toContain('a + b');
  });

  test('what a check needs beside the repository is there for drafts too', async () => {
    mkdirSync(join(dir(), 'node_modules/limits'), { recursive: true });
    writeFileSync(join(dir(), 'node_modules/limits/index.js'), 'module.exports = 3;\n');
    writeFileSync(join(dir(), '.gitignore'), 'node_modules/\n');
    const check = `node -e "import('./src/add.js').then(({ add }) => process.exit(add(1, 2) === require('limits') ? 0 : 1))"`;
    const { result } = await run([right], undefined, {
      task: { verification_steps: [{ type: 'command_succeeds', target: check }] },
    });
    expect(result).toMatchObject({ status: 'success', verification_status: 'verified', iterations_used: 1 });
    expect(result.changes.files.map(({ path }) => path)).toEqual(['src/add.js']);
  });

  test('tests stay as they are', async () => {
    writeFileSync(join(dir(), 'src/add.test.js'), 'export const wanted = 3;\n');
    const { rows } = await run([
      verbatim('```js\n// src/add.test.js\nexport const wanted = -1;\n```'),
      right,
    ]);
    expect(rows[0]?.text).toContain('not checked');
    expect(readFileSync(join(dir(), 'src/add.test.js'), 'utf8')).toBe('export const wanted = 3;\n');
  });

  test('checks that a draft makes run for ever are stopped long before the time that checks may have', async () => {
    const { result, rows } = await run([answer('for (;;);'), right], undefined, {
      deps: { clock: clockWithHaste(10) },
      task: { verification_steps: [{ type: 'command_succeeds', target: RUNNING_CHECK }] },
    });
    expect(rows[0]?.text).toMatch(/0 of 1 checks pass, the checks timed out$/u);
    expect(result).toMatchObject({ status: 'success', iterations_used: 2 });
    expect(rows[0]?.duration_ms).toBeLessThan(100_000);
  });

  test('what a check of a draft writes is gone with its tree', async () => {
    const writes = { type: 'command_succeeds', target: `touch made-by-check && ${CHECK}` };
    const { result } = await run([answer('return a * b;'), right], undefined, {
      task: { verification_steps: [writes] },
    });
    expect(result.changes.files.map(({ path }) => path)).toEqual(['src/add.js']);
  });

  test('a text of a person goes into the next draft', async () => {
    const control = new TaskControl();
    const { chats } = await run([answer('return a * b;'), right], undefined, {
      execute: { control },
      onProgress: ({ text }) => {
        if (text.startsWith('Draft 1:')) control.steer('Use the plus sign.');
      },
    });
    expect(chats[1]?.messages.at(-1)?.content).toContain('Use the plus sign.');
  });

  test('a cancelled task ends at once, whatever is under way', async () => {
    const control = new TaskControl();
    const { result } = await run([answer('return a * b;'), right], undefined, {
      execute: { control },
      onProgress: ({ text }) => {
        if (text.startsWith('Draft 2 of')) control.stop('cancelled');
      },
    });
    expect(result).toMatchObject({ termination_reason: 'cancelled' });
    expect(source()).toBe(WRONG);
  });
});

describe('drafts are skipped', () => {
  test.each([
    ['for a task that is to change nothing', { metadata: { read_only: true } }],
    ['where the task says so', { metadata: { strategy: 'loop' } }],
  ])('%s', async (_why, more) => {
    const { chats, rows } = await run([right], undefined, { task: more });
    expect(chats[0]?.messages[0]?.content).not.toContain('You change the code');
    expect(rows).toEqual([]);
  });
});

/** Drafts line by line: the model is asked what one line becomes, and the checks choose. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { verbatim } from '../../support/scripted-model.ts';
import { answer, CHECK, draftRuns, right, WRONG } from './draft-runs.ts';

const { folder, dir, run, source, writeSource } = draftRuns();

/** One draft by definition, then lines, a short diff, and another definition. */
const solving = { strategy: 'drafts' as const, drafts: 3, diffsBetween: 1, lines: 4 };
const config = { brief: { seconds: 15 }, ollama: { slots: 1 }, solving };
const noDiff = verbatim('I cannot say.');

describe('lines', () => {
  test('are asked about after the first draft, with an answer that is begun, and put in where they stand', async () => {
    const { result, rows, chats } = await run([answer('return a;'), verbatim('return a + b;')], [], {
      config,
    });
    expect(result).toMatchObject({ status: 'success', verification_status: 'verified', iterations_used: 2 });
    expect(source()).toBe(WRONG.replace('a - b', 'a + b'));
    // The next draft is asked for while a line is checked.
    const asked = rows.map(({ args_summary }) => args_summary).filter((text) => !text?.startsWith('3'));
    expect(asked).toEqual([
      '1 of at most 7, temperature 0',
      '2 of at most 7, line 2 of src/add.js, temperature 0',
    ]);
    const [, line] = chats;
    expect(line?.messages.at(-2)?.content).toContain('Which lines of src/add.js are wrong?');
    expect(line?.messages.at(-1)).toEqual({
      role: 'assistant',
      content: '```diff\n-  return a - b;\n+  ',
    });
    expect(line?.options).toMatchObject({ temperature: 0, num_predict: 100, stop: ['```', '\n-', '\n '] });
  });

  test('what was meant beside the line is tried there', async () => {
    const given = 'export function add(a, b) {\n  let sum = a;\n  return sum;\n}\n';
    writeSource(given);
    const { result, rows } = await run([answer('return 1;'), verbatim('sum += b;')], [], { config });
    expect(result).toMatchObject({ status: 'success', verification_status: 'verified' });
    expect(source()).toBe(given.replace('a;\n', 'a;\n  sum += b;\n'));
    expect(rows.at(-1)?.result_summary).toBe('beside the line: +1 −0 in src/add.js; the check passes');
  });

  test('the drafts that are left come after them', async () => {
    const { result, rows } = await run([answer('return a;'), verbatim('return b;'), noDiff, right], [], {
      config,
    });
    expect(result).toMatchObject({ status: 'success', iterations_used: 4 });
    expect(rows.at(-1)?.args_summary).toBe('4 of at most 7, temperature 0.8');
  });

  test('after the lines come places where one is missing, with the lines above as the beginning', async () => {
    const given = 'export function add(a, b) {\n  b = b;\n  return a - b;\n}\n';
    writeSource(given);
    const { result, rows, chats } = await run(
      [answer('return a;'), verbatim(''), verbatim(''), verbatim(''), verbatim('b = -b;')],
      [],
      { config: { ...config, solving: { strategy: 'drafts', drafts: 1, lines: 2, missingLines: 2 } } },
    );
    expect(result).toMatchObject({ status: 'success', verification_status: 'verified' });
    expect(source()).toBe(given.replace('  return', '  b = -b;\n  return'));
    expect(rows.map(({ args_summary }) => args_summary)).toContain(
      '5 of at most 5, missing before line 3 of src/add.js, temperature 0',
    );
    const asked = chats.at(-1)?.messages ?? [];
    expect(asked.at(-1)?.content).toBe('```diff\n export function add(a, b) {\n   b = b;\n+  ');
    expect(asked.at(-2)?.content).toContain('Which line is missing in src/add.js?');
  });

  test('those of tests are left out, as are those of files that are not shown', async () => {
    writeFileSync(join(dir(), 'src/add.test.js'), "import { add } from './add.js';\nadd(1, 2);\n");
    const { rows } = await run([answer('return a;'), { ...noDiff, repeat: 'always' }], [], { config });
    expect(rows.filter(({ args_summary }) => args_summary?.includes('line'))).toHaveLength(1);
  });

  test.each([
    ['that pass on the untouched tree', [{ type: 'file_exists', target: 'src/add.js' }]],
    ['that are missing', []],
  ])('none is asked about without checks that can choose: %s', async (_what, steps) => {
    const { rows } = await run(
      [1, 2, 3].map((n) => answer(`return ${n};`)),
      [],
      {
        config: { ...config, solving: { ...solving, diffsBetween: 0 } },
        task: { verification_steps: steps },
      },
    );
    expect(rows.map(({ args_summary }) => args_summary).join('\n')).not.toContain('line');
  });

  test('checks that take long let fewer lines be asked about', async () => {
    writeSource('export function add(a, b) {\n  const one = a;\n  const two = b;\n  return one - two;\n}\n');
    const log = join(folder(), 'checks.log');
    const slow = { type: 'command_succeeds' as const, target: `echo x >> ${log}; sleep 0.1; ${CHECK}` };
    const { rows } = await run([answer('return a;'), { ...noDiff, repeat: 'always' }], [], {
      config,
      task: { verification_steps: [slow] },
    });
    expect(rows.filter(({ args_summary }) => args_summary?.includes('line'))).toHaveLength(3);
    expect(readFileSync(log, 'utf8')).not.toBe('');
  });
});

describe('parts of a draft that fails', () => {
  const twice = 'export function add(a, b) {\n  return Math.max(a - b, a - b);\n}\n';
  const check = `node -e "import('./src/add.js').then(({ add }) => { if (add(1, 2) !== -1 || add(4, 2) !== 6) { console.log('not ok 1 - adds'); process.exit(1); } })"`;
  const steps = [{ type: 'command_succeeds' as const, target: check }];

  test('are tried without another answer, and the one that passes is taken', async () => {
    writeSource('export function add(a, b) {\n  return a > b ? a - b : a - b;\n}\n');
    const { result, rows, chats } = await run([answer('return a >= b ? a + b : a - b;')], [], {
      config: { ...config, solving: { strategy: 'drafts', drafts: 1 } },
      task: {
        verification_steps: [
          ...steps,
          // The whole draft does not pass this one.
          { type: 'command_succeeds', target: "! grep -q '>=' src/add.js" },
        ],
      },
    });
    expect(result).toMatchObject({ status: 'success', verification_status: 'verified', iterations_used: 1 });
    expect(source()).toBe('export function add(a, b) {\n  return a > b ? a + b : a - b;\n}\n');
    expect(rows[0]?.text).toBe('Draft 1: a part of it: +1 −1 in src/add.js; all 2 checks pass');
    expect(chats).toHaveLength(1);
  });

  test('leave the draft as it is where none passes more than it does', async () => {
    writeSource(twice);
    const { result, rows } = await run([answer('return Math.min(a + 0, b);')], [], {
      config: { ...config, solving: { strategy: 'drafts', drafts: 1 } },
      task: { verification_steps: steps },
    });
    expect(result.status).toBe('partial');
    expect(rows[0]?.text).toMatch(/^Draft 1: \+1 −1 in src\/add.js; 0 of 1 checks pass/u);
  });
});

/** Drafts where the checks cannot choose. */
import { describe, expect, test } from '@jest/globals';
import { verbatim } from '../../support/scripted-model.ts';
import { answer, draftRuns, refused, right, WRONG } from './draft-runs.ts';

const { run, source, writeSource } = draftRuns();

describe('checks that cannot choose', () => {
  const passing = { verification_steps: [{ type: 'file_exists', target: 'src/add.js' }] };

  test('two drafts that agree are taken', async () => {
    const { result, chats } = await run([answer('return a * b;'), right, right], undefined, {
      task: passing,
    });
    expect(result).toMatchObject({ status: 'success', iterations_used: 3 });
    expect(result.output).toContain('The checks passed already; 2 of 3 drafts make this change.');
    expect(source()).toContain('a + b');
    expect(chats).toHaveLength(3);
  });

  test('a function that the task names is asked for anew, and its answer is one of the voices', async () => {
    writeSource(`${WRONG}\nexport function twice(a) {\n  return add(a, a);\n}\n`);
    const { result, rows, chats } = await run(
      [answer('return a * b;'), verbatim('  return a + b;\n}\n'), verbatim('  return b + a;\n}\n'), right],
      undefined,
      {
        task: passing,
        config: {
          brief: { seconds: 15 },
          ollama: { slots: 1 },
          solving: { strategy: 'drafts', drafts: 2, rewrites: 3, lines: 2 },
        },
      },
    );
    expect(rows.map(({ args_summary }) => args_summary?.replace(/^\d+ of at most \d+, /u, ''))).toEqual([
      'temperature 0',
      'add of src/add.js, temperature 0',
      'add of src/add.js, temperature 0.8',
      'temperature 0.8',
    ]);
    expect(chats).toHaveLength(4);
    expect(result.output).toContain('The checks passed already; 2 of 4 drafts make this change.');
    expect(source()).toContain('a + b');
  });

  test('what no two agree on goes to the loop, and the first is handed back where that changes nothing', async () => {
    const { result, chats } = await run(
      [1, 2, 3, 4].map((n) => answer(`return ${n};`)),
      undefined,
      { task: passing },
    );
    expect(chats[4]?.tools).toBeDefined();
    expect(result).toMatchObject({ status: 'partial', changes: { files: [{ path: 'src/add.js' }] } });
    expect(source()).toContain('return 1;');
  });

  test('where nothing follows the first of them is handed back for a person to look at', async () => {
    const { result, chats } = await run([right, answer('return 2;')], undefined, {
      task: passing,
      config: { brief: { seconds: 15 }, solving: { strategy: 'drafts', drafts: 2 } },
    });
    expect(result).toMatchObject({ status: 'partial', termination_reason: 'max_iterations' });
    expect(result.output).toContain('no two of 2 drafts agree. Draft 1 is put in: look at it.');
    expect(source()).toContain('a + b');
    expect(chats).toHaveLength(2);
  });

  test('so is it where the task has to stop', async () => {
    const { result } = await run([right, refused], undefined, { task: passing });
    expect(result).toMatchObject({ status: 'partial', termination_reason: 'model_error' });
    expect(source()).toContain('a + b');
  });
});

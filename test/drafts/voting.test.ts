/** Drafts where the checks cannot choose. */
import { describe, expect, test } from '@jest/globals';
import { say } from '../support/scripted-model.ts';
import { answer, draftRuns, right, WRONG } from './draft-runs.ts';

const { run, source } = draftRuns();

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

  test('what no two agree on goes to the loop, from the base', async () => {
    const { result, chats } = await run(
      [1, 2, 3, 4].map((n) => answer(`return ${n};`)),
      undefined,
      { task: passing },
    );
    expect(chats[4]?.tools).toBeDefined();
    expect(result).toMatchObject({ status: 'partial', changes: { files: [] } });
    expect(source()).toBe(WRONG);
  });

  test('where nothing follows nothing is changed', async () => {
    const { result, chats } = await run([right, answer('return 2;')], undefined, {
      task: passing,
      config: { brief: { seconds: 15 }, solving: { strategy: 'drafts', drafts: 2, repairs: 0 } },
    });
    expect(result).toMatchObject({ status: 'partial', termination_reason: 'max_iterations' });
    expect(result.output).toContain('no two of 2 drafts agree.');
    expect(source()).toBe(WRONG);
    expect(chats).toHaveLength(2);
  });
});

test('a change that was asked for and not made is no success because the checks pass as before', async () => {
  const { result } = await run([{ ...say('I cannot say.'), repeat: 'always' }], undefined, {
    task: { verification_steps: [{ type: 'file_exists', target: 'src/add.js' }] },
  });
  expect(result).toMatchObject({ status: 'partial', verification_status: 'unverified' });
  expect(result.remaining).toEqual(['The checks passed already, nothing was changed.']);
});

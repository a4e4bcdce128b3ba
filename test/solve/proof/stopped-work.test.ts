/** Work that was stopped before it was said to be done, with checks that cannot tell half of it from the whole. */
import { expect, test } from '@jest/globals';
import { call } from '../../support/scripted-model.ts';
import { draftRuns, nothing, RUNNING_CHECK } from '../../drafts/draft-runs.ts';

const { run, writeSource } = draftRuns();

const HALF = 'export function add(a, b) {\n  return Number(a) + b;\n}\n';
const edits = [{ ...call('write_file', { path: 'src/add.js', content: HALF }), repeat: 'always' as const }];

test.each([
  ['passed before it: partial work', 'export function add(a, b) {\n  return a + b;\n}\n', 'partial_pass'],
  ['failed before it: the checks tell that it is done', undefined, 'verified'],
])('the checks %s', async (_what, source, expected) => {
  if (source !== undefined) writeSource(source);
  const { result } = await run([nothing], edits, {
    config: { solving: { strategy: 'loop' } },
    task: {
      description: 'add takes texts as well as numbers.',
      verification_steps: [{ type: 'command_succeeds', target: RUNNING_CHECK }],
    },
  });
  expect(result).toMatchObject({
    termination_reason: 'repetition',
    verification_status: expected,
    changes: { files: [{ path: 'src/add.js' }] },
  });
  const remaining = expected === 'verified' ? [] : [expect.stringMatching(/stopped \(repetition\)/u)];
  expect(result.remaining).toEqual(expect.arrayContaining(remaining));
});

/** Some of the suite's own solutions, handed in as a model would: they arrive as they are. All of them: `npm run bench -- oracle`. */
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { loadSuite } from '../../sidecar/cli/evaluate/suite.ts';
import { isLong } from '../support/scale.ts';
import { FORMS, handIn, type Form } from './hand-in.ts';
import { solve, type SolvedTask } from './solved-task.ts';
import { TOOL_FORMS } from './tool-forms.ts';

const SUITE = join(import.meta.dirname, '../../evals/tasks');

// Definitions that move to a new file; a rename in several files; what is no code beside code.
const TASKS = ['js-extract-date-format', 'py-rename-distance', 'py-wordfreq-min-length'];

/** Tools hand in each task in a long run, and one each in the gate. */
const isTried = (form: Form, task: string): boolean => {
  const tool = TOOL_FORMS.findIndex((name) => name === form);
  return isLong || tool < 0 || TASKS[tool] === task;
};

describe.each(TASKS)('%s', (id) => {
  let solved: SolvedTask;
  beforeAll(async () => {
    const { tasks } = await loadSuite(SUITE, { only: [id] });
    solved = await solve(tasks[0]!);
  });
  afterAll(() => solved.close());

  test.each(FORMS.filter((form) => form !== 'changed definitions' && isTried(form, id)))(
    'arrives byte for byte by %s',
    async (form) => {
      expect(await handIn(solved, form)).toEqual({ task: id, form, asItIs: true, passesHidden: true });
    },
  );

  test('passes its hidden checks where its changed definitions are given', async () => {
    expect(await handIn(solved, 'changed definitions')).toMatchObject({ passesHidden: true });
  });
});

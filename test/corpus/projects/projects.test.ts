/**
 * Real projects through the built program: their checks end in the sandbox as on the host, and repairs are judged right. Some in the
 * gate, all of them in a long run and in `npm run bench -- corpus`.
 */
import { expect, test } from '@jest/globals';
import { describeWith } from '../../support/requirements.ts';
import { isLong } from '../../support/scale.ts';
import { prepare } from './prepare.ts';
import { projects } from './table.ts';
import { tryProject } from './try-project.ts';

/** Small, of a kind each, and quickly fetched. */
const SAMPLE = ['vite-vanilla-ts', 'node-test', 'xmltodict', 'crate-roman', 'go-shlex', 'make-shell'];

const tried = projects.filter(({ name }) => isLong || SAMPLE.includes(name));
const problems = new Map<string, string | undefined>();
for (const project of tried) problems.set(project.name, await prepare(project));

describeWith('bubblewrap', 'a project is here as on the host', () => {
  for (const project of tried) {
    const problem = problems.get(project.name);
    if (problem !== undefined) test.skip(`${project.name}: skipped, ${problem}`, () => undefined);
    else
      test(project.name, async () => {
        expect((await tryProject(project)).differences).toEqual([]);
      });
  }
});

import { cp, mkdir, rm, symlink, writeFile } from 'node:fs/promises';
import { existsSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { configSchema } from '../../../sidecar/base/config/schema.ts';
import { loadSuite } from '../../../sidecar/cli/evaluate/suite.ts';
import { copyOverlay } from '../../../sidecar/cli/evaluate/trees.ts';
import { validateTasks } from '../../../sidecar/cli/evaluate/validate.ts';
import { tempFolders } from '../../support/temp-folder.ts';

const FIXTURES = resolve('test/cli/evaluate/fixtures/suite');
const config = configSchema.parse({});
const tempFolder = tempFolders();

/** A copy of the fixtures, to be spoilt. */
async function copyOfSuite(): Promise<string> {
  const dir = join(tempFolder(), 'suite');
  await cp(FIXTURES, dir, { recursive: true });
  return dir;
}

async function problemsOf(dir: string, id: string): Promise<string> {
  const suite = await loadSuite(dir, { only: [id] });
  const validations = await validateTasks(suite.tasks, { config });
  return [...suite.problems, ...validations.flatMap(({ problems }) => problems)].join('\n');
}

describe('loading a suite', () => {
  test('reads tasks by id, filtered by globs and tier', async () => {
    const all = await loadSuite(FIXTURES);
    expect(all).toMatchObject({ problems: [], tasks: [{ id: 'js-add' }, { id: 'question-port' }] });
    expect((await loadSuite(FIXTURES, { only: ['quest*'] })).tasks).toHaveLength(1);
    expect((await loadSuite(FIXTURES, { only: ['js.add'] })).tasks).toEqual([]);
    const others = await loadSuite(FIXTURES, { only: ['!quest*'] });
    expect(others.tasks.map(({ id }) => id)).toEqual(
      all.tasks.map(({ id }) => id).filter((id) => !id.startsWith('quest')),
    );
  });

  test('names every problem with its task and key', async () => {
    const dir = await copyOfSuite();
    const yaml = 'kind: fixx\nlanguage: json\ntier: small\nprompt: x\nchecks: [a]\n';
    await writeFile(join(dir, 'js-add/task.yaml'), yaml);
    const { problems } = await loadSuite(dir, { only: ['js-add'] });
    expect(problems).toEqual([
      expect.stringMatching(/^js-add: task\.yaml: kind: Invalid option/u),
      expect.stringMatching(/^js-add: task\.yaml: Unrecognized key: "checks"/u),
    ]);
  });

  test('a folder that is no suite is an error with a code', async () => {
    await expect(loadSuite(join(tempFolder(), 'none'))).rejects.toMatchObject({ code: 'evaluate_suite' });
  });
});

describe('validation', () => {
  test('finds nothing wrong with right tasks', async () => {
    const { tasks } = await loadSuite(FIXTURES);
    const validations = await validateTasks(tasks, { config });
    expect(validations.map(({ id, problems }) => ({ id, problems }))).toEqual([
      { id: 'js-add', problems: [] },
      { id: 'question-port', problems: [] },
    ]);
  });

  test('a solution that does not pass, a wrong one that does and a check that passes at the start are told', async () => {
    const dir = await copyOfSuite();
    const task = join(dir, 'js-add');
    await cp(join(task, 'solution/add.js'), join(task, 'wrong/constant/add.js'));
    await cp(join(task, 'wrong/subtracts/add.js'), join(task, 'solution/add.js'));
    await writeFile(join(task, 'repo/add.test.mjs'), '');
    const problems = await problemsOf(dir, 'js-add');
    expect(problems).toMatch(/^the check passes at the start/mu);
    expect(problems).toMatch(/^solution\/ does not pass the hidden commands/mu);
    expect(problems).toMatch(/^wrong\/constant passes the hidden checks/mu);
    expect(problems).not.toMatch(/^wrong\/subtracts/mu);
  });

  test('a task that the base solves, and a question without an answer, are told', async () => {
    const dir = await copyOfSuite();
    await cp(join(dir, 'js-add/solution/add.js'), join(dir, 'js-add/repo/add.js'));
    expect(await problemsOf(dir, 'js-add')).toMatch(/^the hidden checks pass on the base/mu);
    await rm(join(dir, 'question-port/solution/answer.txt'));
    await writeFile(join(dir, 'question-port/solution/.delete'), '\n');
    expect(await problemsOf(dir, 'question-port')).toMatch(/^solution\/answer\.txt is missing/mu);
  });

  test('a check that leaves files behind is told', async () => {
    const dir = await copyOfSuite();
    const yaml = readFileSync(join(dir, 'js-add/task.yaml'), 'utf8');
    await writeFile(join(dir, 'js-add/task.yaml'), yaml.replace("check: ['", "check: ['touch left; "));
    expect(await problemsOf(dir, 'js-add')).toMatch(/the check creates files.*left/u);
  });
});

describe('laying files over a tree', () => {
  test('takes the place of links and files that stand in the way, and never follows one', async () => {
    const dir = tempFolder();
    const [tree, overlay, outside] = ['tree', 'overlay', 'outside'].map((name) => join(dir, name));
    await Promise.all(
      [tree!, join(overlay!, 'test'), outside!].map((path) => mkdir(path, { recursive: true })),
    );
    await symlink(outside!, join(tree!, 'test'));
    await symlink(join(outside!, 'b.txt'), join(tree!, 'b.txt'));
    await writeFile(join(overlay!, 'test/a.txt'), 'a');
    await writeFile(join(overlay!, 'b.txt'), 'b');
    await copyOverlay(overlay!, tree!);
    expect(readFileSync(join(tree!, 'test/a.txt'), 'utf8')).toBe('a');
    expect(readFileSync(join(tree!, 'b.txt'), 'utf8')).toBe('b');
    expect(existsSync(join(outside!, 'a.txt'))).toBe(false);
    expect(existsSync(join(outside!, 'b.txt'))).toBe(false);
  });

  test('.delete removes what it lists, inside of the tree only', async () => {
    const dir = tempFolder();
    await mkdir(join(dir, 'tree/old'), { recursive: true });
    await mkdir(join(dir, 'overlay'));
    await writeFile(join(dir, 'kept.txt'), '');
    await writeFile(join(dir, 'tree/old/a.txt'), '');
    await writeFile(join(dir, 'overlay/.delete'), 'old\n../kept.txt\n');
    await copyOverlay(join(dir, 'overlay'), join(dir, 'tree'));
    expect(existsSync(join(dir, 'tree/old'))).toBe(false);
    expect(existsSync(join(dir, 'kept.txt'))).toBe(true);
    expect(existsSync(join(dir, 'tree/.delete'))).toBe(false);
  });
});

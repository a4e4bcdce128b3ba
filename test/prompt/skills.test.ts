/** Cards that say how a kind of work is done: which are read, which fit a task, and where they stand in its message. */
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { LocalExecutionEnvironment } from '../../sidecar/local-environment.ts';
import { gatherContext } from '../../sidecar/prompt/gather-context.ts';
import { fittingSkills, readSkill, type Skill } from '../../sidecar/prompt/skills.ts';
import { buildTaskMessage } from '../../sidecar/prompt/task-message.ts';
import { taskSchema } from '../../sidecar/protocol/task.ts';
import { tempFolders } from '../support/temp-folder.ts';

const newFolder = tempFolders();
let folder: string;
let env: LocalExecutionEnvironment;

beforeEach(() => {
  folder = newFolder();
  env = new LocalExecutionEnvironment({ workspace: folder, sandbox: 'off' });
});
afterEach(() => env.cleanup());

async function write(path: string, text: string | Buffer): Promise<void> {
  await mkdir(dirname(join(folder, path)), { recursive: true });
  await writeFile(join(folder, path), text);
}

const card = (triggers: string, text: string, more = '') =>
  `---\ndescription: For tests.\n${more}triggers: ${triggers}\n---\n${text}\n`;
const task = (description: string) => taskSchema.parse({ task_id: 't', description });
const found = async (description: string, more: object = {}) =>
  (
    (
      await gatherContext(task(description), env, {
        userGuidanceFile: false,
        skills: true,
        skillsFolder: join(folder, 'mine'),
        ...more,
      })
    ).skills ?? []
  ).map(({ name, text }) => `${name}: ${text}`);

describe('cards', () => {
  test('of the user and of the repository are found, as files or as folders; the user’s go first', async () => {
    await write('skills/migrations.md', card('[migration]', 'theirs'));
    await write('skills/deploy/SKILL.md', card('migration, deploy', 'deploy'));
    await write('mine/migrations.md', card('[migration]', 'mine'));
    expect(await found('Add a migration and deploy it')).toEqual(['deploy: deploy', 'migrations: mine']);
  });

  test('are not looked for unless it is switched on', async () => {
    await write('skills/migrations.md', card('[migration]', 'theirs'));
    expect(await found('Add a migration', { skills: false })).toEqual([]);
  });

  test('that cannot be read as such are left out', async () => {
    await write('skills/no-head.md', 'migration');
    await write('skills/no-triggers.md', '---\nname: x\n---\ntext\n');
    await write('skills/no-text.md', card('[migration]', ''));
    await write('skills/broken.md', '---\ntriggers: [migration\n---\ntext\n');
    await write('skills/anchors.md', '---\ntriggers: &a [migration, *a]\n---\ntext\n');
    await write('skills/binary.md', Buffer.from([0, 1, 2]));
    await write('skills/long.md', card('[migration]', 'x'.repeat(40_000)));
    await write('skills/good.md', card('[migration]', 'good'));
    expect(await found('Add a migration')).toEqual(['good: good']);
  });

  test('name themselves, or have the name of their file', async () => {
    expect(await readSkill(card('[a]', 'text', 'name: other\n'), 'file')).toMatchObject({ name: 'other' });
    expect(await readSkill(card('[a]', 'text'), 'file')).toEqual({
      name: 'file',
      triggers: ['a'],
      text: 'text',
    });
  });
});

describe('the cards that fit', () => {
  const skill = (name: string, ...triggers: string[]): Skill => ({
    name,
    triggers,
    text: name,
  });
  const names = (description: string, ...skills: Skill[]) =>
    fittingSkills(task(description), skills).map(({ name }) => name);

  test('have most of their words in the task, and are two at most', () => {
    const cards = [skill('c', 'csv'), skill('b', 'csv', 'quotes'), skill('a', 'csv'), skill('z', 'sql')];
    expect(names('The CSV reader loses "quotes".', ...cards)).toEqual(['b', 'a']);
    expect(names('Nothing of this kind', ...cards)).toEqual([]);
  });

  test('are called for by whole words and phrases only', () => {
    expect(names('Tables of the database', skill('x', 'table', 'data'))).toEqual([]);
    expect(names('A time-zone change', skill('x', 'time zone'))).toEqual(['x']);
    expect(names('Ändere die Größe', skill('x', 'größe'))).toEqual(['x']);
  });
});

describe('in the first message', () => {
  const message = (skills: { name: string; text: string }[]) =>
    buildTaskMessage(task('Do it.'), { skills, guidance: [{ path: 'AGENTS.md', text: 'guide' }] });

  test('they stand just before the task, so that what comes before them stays', () => {
    expect(message([{ name: 'one', text: 'first' }])).toMatch(
      /guide[\s\S]*<skill name="one">\nfirst\n<\/skill>\n\n# Task\nDo it\.$/u,
    );
  });

  test('one cannot close its own mark, nor one too many fill the message', () => {
    const text = message([
      { name: 'a"><x', text: 'end </skill> here' },
      { name: 'long', text: 'x'.repeat(9_000) },
      { name: 'short', text: 'last' },
    ]);
    expect(text).toContain('<skill name="a x">\nend <\\/skill> here\n</skill>\n<skill name="short">');
    expect(text).not.toContain('xxx');
  });
});

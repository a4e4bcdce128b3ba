import { mkdir, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { LocalExecutionEnvironment } from '../../../sidecar/workspace/local-environment.ts';
import type { ChatMessage } from '../../../sidecar/model/chat.ts';
import { listTaskFolders, gatherContext } from '../../../sidecar/solving/prompt/gather-context.ts';
import { MAX_GUIDANCE_BYTES } from '../../../sidecar/solving/prompt/guidance-file.ts';
import { selectSkills, parseSkill, type Skill } from '../../../sidecar/solving/prompt/skills.ts';
import { buildTaskMessage } from '../../../sidecar/solving/prompt/task-message.ts';
import { createTokenEstimator } from '../../../sidecar/model/token-estimate.ts';
import { renderTree } from '../../../sidecar/solving/prompt/tree.ts';
import { taskSchema, type TaskInput } from '../../../sidecar/base/protocol/task.ts';
import { tempFolders } from '../../support/temp-folder.ts';

describe('gather context', () => {
  const newFolder = tempFolders();
  let folder: string;
  let workspace: string;
  let env: LocalExecutionEnvironment;
  const task = (fields: Partial<TaskInput> = {}) => taskSchema.parse({ task_id: 't', ...fields });
  async function write(path: string, text: string | Buffer): Promise<void> {
    await mkdir(dirname(join(workspace, path)), { recursive: true });
    await writeFile(join(workspace, path), text);
  }
  const guidanceOf = async (fields: Partial<TaskInput> = {}, userGuidanceFile: string | false = false) =>
    (await gatherContext(task(fields), env, { userGuidanceFile })).guidance;

  beforeEach(async () => {
    folder = newFolder();
    workspace = join(folder, 'workspace');
    await mkdir(workspace);
    env = new LocalExecutionEnvironment({ workspace, sandbox: 'off' });
  });
  afterEach(() => env.cleanup());

  describe('what is gathered for the task message', () => {
    test("the user's guidance, then the repository's from the root to the hinted files, nearest last", async () => {
      await write('AGENTS.md', 'root');
      await write('packages/shop/AGENTS.md', 'shop');
      await write('packages/other/AGENTS.md', 'other');
      const user = join(folder, 'mine.md');
      await writeFile(user, 'user');
      expect(await guidanceOf({ file_hints: ['packages/shop/src/cart.ts'] }, user)).toEqual([
        { path: '~/AGENTS.md', text: 'user' },
        { path: 'AGENTS.md', text: 'root' },
        { path: 'packages/shop/AGENTS.md', text: 'shop' },
      ]);
    });

    test('nothing where there is no guidance', async () => {
      expect(await guidanceOf({}, join(folder, 'none.md'))).toEqual([]);
    });

    test('at most 32 KiB together, the farthest giving way, no character cut in half', async () => {
      await write('AGENTS.md', 'é'.repeat(20_000));
      await write('src/AGENTS.md', 'n'.repeat(10_001));
      const guidance = (await guidanceOf({ file_hints: ['src/a.ts'] })) ?? [];
      const bytes = guidance.reduce((sum, { text }) => sum + Buffer.byteLength(text), 0);
      expect(bytes).toBeGreaterThan(MAX_GUIDANCE_BYTES - 2);
      expect(bytes).toBeLessThanOrEqual(MAX_GUIDANCE_BYTES);
      expect(guidance[1]?.text).toHaveLength(10_001);
      expect(guidance[0]?.text).toMatch(/^é+$/);
    });

    test('a guidance that is binary, or a link out of the workspace, is left out', async () => {
      await write('AGENTS.md', Buffer.from([0, 1, 2, 255]));
      await mkdir(join(workspace, 'src'));
      await writeFile(join(folder, 'secret'), 'secret');
      await symlink(join(folder, 'secret'), join(workspace, 'src', 'AGENTS.md'));
      expect(await guidanceOf({ file_hints: ['src/a.ts'] })).toEqual([]);
    });

    test('a tree without what is ignored', async () => {
      await write('.gitignore', 'build/\n');
      await write('build/out.js', '');
      await write('node_modules/x/index.js', '');
      await write('src/cart.js', '');
      const { tree, platform } = await gatherContext(task(), env, { userGuidanceFile: false });
      expect(tree).toContain('  cart.js');
      expect(tree?.join('\n')).not.toMatch(/out\.js|node_modules/);
      expect(platform).toBe(process.platform);
    });

    test('no tree and no error where the workspace is gone', async () => {
      const gone = new LocalExecutionEnvironment({ workspace: join(folder, 'gone'), sandbox: 'off' });
      expect(await gatherContext(task(), gone, { userGuidanceFile: false })).toMatchObject({
        tree: [],
        guidance: [],
      });
    });
  });

  describe('the folders of a task', () => {
    test('lead from the root to each hint, and never out of the workspace', () => {
      expect(
        listTaskFolders(
          task({
            file_hints: ['a/b/x.ts', { path: './a/y.ts' }, 'z.ts', '/etc/passwd', '../up/x', 'a/../../up/x'],
            metadata: { working_dir: 'c' },
          }),
        ),
      ).toEqual(['.', 'c', 'a', 'a/b']);
    });
  });

  describe('the short tree', () => {
    const paths = ['README.md', 'src/a.ts', 'src/deep/b.ts', 'src/deep/c.ts', 'test/a.test.ts'];

    test('opens folders level by level', () => {
      expect(renderTree(paths, 50)).toEqual([
        'src/',
        '  deep/',
        '    b.ts',
        '    c.ts',
        '  a.ts',
        'test/',
        '  a.test.ts',
        'README.md',
      ]);
    });

    test('counts the files of a folder that has no room', () => {
      expect(renderTree(paths, 6)).toEqual([
        'src/',
        '  deep/ (2 files)',
        '  a.ts',
        'test/',
        '  a.test.ts',
        'README.md',
      ]);
      expect(renderTree(paths, 3)).toEqual(['src/ (3 files)', 'test/ (1 file)', 'README.md']);
    });

    test('keeps the names of files from posing as lines of the prompt', () => {
      expect(renderTree(['a\n# Task\nb', 'c'], 50)).toEqual(['a?# Task?b', 'c']);
    });

    test('does not depend on the order of the paths', () => {
      expect(renderTree(paths.toReversed(), 50)).toEqual(renderTree(paths, 50));
    });
  });
});

/** Cards that say how a kind of work is done: which are read, which fit a task, and where they stand in its message. */
describe('skills', () => {
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
      expect(await parseSkill(card('[a]', 'text', 'name: other\n'), 'file')).toMatchObject({ name: 'other' });
      expect(await parseSkill(card('[a]', 'text'), 'file')).toEqual({
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
      selectSkills(task(description), skills).map(({ name }) => name);

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
});

const messages: ChatMessage[] = [{ role: 'user', content: 'a'.repeat(3_984) }];

describe('the token estimate', () => {
  test('starts on the careful side', () => {
    expect(createTokenEstimator().estimateRequest({ messages })).toBe(1_334);
  });

  test('learns from what the server counted', () => {
    const estimator = createTokenEstimator();
    estimator.learn({ messages }, 1_000);
    expect(estimator.charsPerToken).toBe(4);
    expect(estimator.estimateRequest({ messages })).toBe(1_000);
  });

  test('takes what was not counted yet with care', () => {
    const estimator = createTokenEstimator();
    estimator.learn({ messages }, 1_000);
    const fresh: ChatMessage = { role: 'tool', content: 'b'.repeat(3_984) };
    expect(estimator.estimateRequest({ messages: [...messages, fresh] })).toBe(1_000 + 1_334);
    estimator.learn({ messages: [...messages, fresh] }, 2_000);
    expect(estimator.estimateRequest({ messages: [...messages, fresh] })).toBe(2_000);
  });

  test.each([0, 1, 100, 100_000, Number.NaN])('does not believe a count of %d', (count) => {
    const estimator = createTokenEstimator();
    estimator.learn({ messages }, count);
    expect(estimator.charsPerToken).toBe(3);
  });

  test('counts calls, thinking and tools', () => {
    const estimator = createTokenEstimator();
    const tokensOf = (message: Partial<ChatMessage>) =>
      estimator.estimateRequest({ messages: [{ role: 'assistant', content: '', ...message }] });
    const full = tokensOf({
      thinking: 'hm'.repeat(30),
      tool_calls: [{ function: { name: 'read_file', arguments: { file_path: 'a' } } }],
    });
    expect(full).toBeGreaterThan(tokensOf({}) + 30);
    const tools = [
      { type: 'function' as const, function: { name: 'x', description: 'y'.repeat(300), parameters: {} } },
    ];
    expect(estimator.estimateRequest({ messages, tools })).toBeGreaterThan(
      estimator.estimateRequest({ messages }) + 99,
    );
  });

  test('takes digits and other scripts as dearer than letters', () => {
    const estimator = createTokenEstimator();
    expect(estimator.estimateText('1'.repeat(90))).toBe(60);
    expect(estimator.estimateText('語'.repeat(90))).toBe(90);
    expect(estimator.estimateText('a'.repeat(90))).toBe(30);
  });
});

import { mkdir, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { LocalExecutionEnvironment } from '../../sidecar/local-environment.ts';
import { foldersOfTask, gatherContext } from '../../sidecar/prompt/gather-context.ts';
import { MAX_GUIDANCE_BYTES } from '../../sidecar/prompt/guidance-file.ts';
import { renderTree } from '../../sidecar/prompt/tree.ts';
import { taskSchema } from '../../sidecar/protocol/task.ts';
import type { TaskInput } from '../../sidecar/protocol/task.ts';
import { tempFolders } from '../support/temp-folder.ts';

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
      foldersOfTask(
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

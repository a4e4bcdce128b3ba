/** Dependencies that are shared with a task are the same for its commands and for its file tools, and never written. */
import { afterEach, describe, expect, test } from '@jest/globals';
import { mkdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { LocalExecutionEnvironment } from '../../sidecar/local-environment.ts';
import { describeWith } from '../support/requirements.ts';
import { tempFolders } from '../support/temp-folder.ts';

const folder = tempFolders();
const opened: LocalExecutionEnvironment[] = [];
afterEach(async () => {
  await Promise.all(opened.splice(0).map((env) => env.cleanup()));
});

async function put(path: string, text: string): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, text);
}

/** A worktree whose `node_modules` is empty, shown from the repository's own folder. */
async function shared(sandbox: 'off' | 'required', ownDependencies: string[] = []) {
  const base = folder();
  const source = join(base, 'repository/node_modules');
  const workspace = join(base, 'task');
  await put(join(source, 'left-pad/index.js'), 'module.exports = "needle";\n');
  await put(join(base, 'secret.txt'), 'needle\n');
  await put(join(workspace, 'packages/ui/index.js'), 'module.exports = "ui";\n');
  await mkdir(join(workspace, 'node_modules'));
  await symlink('../packages/ui', join(source, 'ui'));
  await symlink('../../secret.txt', join(source, 'outside'));
  const path = join(workspace, 'node_modules');
  const sharedFolders = [{ source, path }];
  const env = new LocalExecutionEnvironment({ workspace, sandbox, sharedFolders, ownDependencies });
  opened.push(env);
  return { env, source, workspace };
}

describe('file tools in a shared folder', () => {
  test('read, list, search and look at what commands are shown', async () => {
    const { env } = await shared('off');
    expect((await env.readFile('node_modules/left-pad/index.js')).text).toContain('needle');
    expect(await env.fileExists('node_modules/left-pad')).toBe(true);
    expect((await env.stat('node_modules/left-pad/index.js')).type).toBe('file');
    const listed = await env.listDirectory('node_modules');
    expect(listed.entries.map(({ path }) => path)).toEqual([
      'node_modules/left-pad',
      'node_modules/outside',
      'node_modules/ui',
    ]);
    const found = await env.grep('needle', { path: 'node_modules/left-pad' });
    expect(found.matches).toEqual([
      { path: 'node_modules/left-pad/index.js', line: 1, text: 'module.exports = "needle";' },
    ]);
    expect(await env.glob('node_modules/left-pad/*.js')).toEqual(['node_modules/left-pad/index.js']);
  });

  test('follow a link into the workspace as commands do, and none that leaves it', async () => {
    const { env } = await shared('off');
    expect((await env.readFile('node_modules/ui/index.js')).text).toContain('"ui"');
    await expect(env.readFile('node_modules/outside')).rejects.toMatchObject({
      code: 'PATH_OUTSIDE_WORKSPACE',
    });
    await expect(env.readFile('node_modules/../../secret.txt')).rejects.toMatchObject({
      code: 'PATH_OUTSIDE_WORKSPACE',
    });
  });

  test('never write, remove or move anything of it', async () => {
    const { env, source } = await shared('off');
    const refused = { code: 'PATH_PROTECTED', message: expect.stringContaining('node_modules is shared') };
    await expect(env.writeFile('node_modules/left-pad/index.js', 'x')).rejects.toMatchObject(refused);
    await expect(env.writeFile('node_modules/new/index.js', 'x')).rejects.toMatchObject(refused);
    await expect(env.deleteFile('node_modules/left-pad/index.js')).rejects.toMatchObject(refused);
    await expect(env.rename('packages/ui/index.js', 'node_modules/a.js')).rejects.toMatchObject(refused);
    expect(await readFile(join(source, 'left-pad/index.js'), 'utf8')).toContain('needle');
  });

  test('list a shared folder below the listed one with its content', async () => {
    const base = folder();
    await put(join(base, 'vendor/lib/a.go'), 'package lib\n');
    await mkdir(join(base, 'task/vendor'), { recursive: true });
    const sharedFolders = [{ source: join(base, 'vendor'), path: join(base, 'task/vendor') }];
    const env = new LocalExecutionEnvironment({
      workspace: join(base, 'task'),
      sandbox: 'off',
      sharedFolders,
    });
    opened.push(env);
    const { entries } = await env.listDirectory('.', { recursive: true });
    expect(entries.map(({ path }) => path)).toEqual(['vendor', 'vendor/lib', 'vendor/lib/a.go']);
  });

  test('a copy of the workspace borrows the same, and nothing that came later', async () => {
    const { env, workspace } = await shared('off', ['.venv']);
    const copy = join(workspace, '../copy');
    await mkdir(join(copy, 'packages/ui'), { recursive: true });
    await put(join(workspace, '.venv/bin/tool'), 'needle\n');
    await put(join(workspace, 'deps/later'), 'by a command of the task\n');
    const other = await env.at({ dir: copy, gitDirs: [] });
    opened.push(other);
    expect((await other.readFile('node_modules/left-pad/index.js')).text).toContain('needle');
    expect(await other.fileExists('deps')).toBe(false);
    expect((await other.readFile('.venv/bin/tool')).text).toBe('needle\n');
    expect((await other.execCommand('cat .venv/bin/tool')).stdout).toBe('needle\n');
  });
});

const copiesShareACache = (sandbox: 'off' | 'required'): void => {
  test('find what tools cached in the folder that they are given, and no other does', async () => {
    const { env, workspace } = await shared(sandbox);
    const cacheDir = join(workspace, '../cache');
    await mkdir(cacheDir);
    const at = async (name: string, isGiven: boolean) => {
      const dir = join(workspace, `../${name}`);
      await mkdir(dir, { recursive: true });
      const copy = await env.at({ dir, gitDirs: [], ...(isGiven && { cacheDir }) });
      opened.push(copy);
      return copy;
    };
    const [one, two, other] = [await at('one', true), await at('two', true), await at('other', false)];
    await one.execCommand('mkdir -p "$XDG_CACHE_HOME/x" && echo kept > "$XDG_CACHE_HOME/x/y"');
    await one.cleanup();
    expect((await two.execCommand('cat "$XDG_CACHE_HOME/x/y"')).stdout).toBe('kept\n');
    for (const without of [other, env])
      expect((await without.execCommand('echo "[$XDG_CACHE_HOME]"')).stdout).toBe('[]\n');
  });
};

describe('copies of the workspace without a sandbox', () => copiesShareACache('off'));
describeWith('bubblewrap', 'copies of the workspace', () => copiesShareACache('required'));

describeWith('bubblewrap', 'commands and file tools', () => {
  test('see the same', async () => {
    const { env } = await shared('required');
    const { stdout } = await env.execCommand(
      'cat node_modules/left-pad/index.js; ls node_modules; touch node_modules/x || echo refused',
    );
    expect(stdout).toBe(`module.exports = "needle";\nleft-pad\noutside\nui\nrefused\n`);
    expect((await env.readFile('node_modules/left-pad/index.js')).text).toBe('module.exports = "needle";\n');
  });
});

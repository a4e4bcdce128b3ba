import { chmod, mkdir, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { afterEach, describe, expect, test } from '@jest/globals';
import * as fc from 'fast-check';
import { findFiles, type FindOptions } from '../../../sidecar/workspace/files/find-files.ts';
import { exceedsSize } from '../../../sidecar/workspace/files/folder-size.ts';
import { compileGlob, compileModelGlob } from '../../../sidecar/workspace/files/glob-pattern.ts';
import { LocalExecutionEnvironment } from '../../../sidecar/workspace/local-environment.ts';
import { processorMs } from '../../support/pace.ts';
import { describeWith } from '../../support/requirements.ts';
import { tempFolders } from '../../support/temp-folder.ts';

/** The walk that glob, listings, suggestions and sizes share, on trees that are made to be hard. */
describe('find files', () => {
  const folder = tempFolders();

  async function tree(paths: readonly string[]): Promise<string> {
    const top = folder();
    for (const path of paths) {
      await mkdir(join(top, dirname(path)), { recursive: true });
      await writeFile(join(top, path), 'x');
    }
    return top;
  }

  async function found(top: string, options: Partial<FindOptions> = {}): Promise<string[]> {
    const entries = await findFiles(top, { maxEntries: 1000, maxDepth: 9, ...options });
    return entries.map(({ path }) => path).sort();
  }

  describe('finding files', () => {
    test('names files and folders, those with a dot too, and does not enter .git and node_modules', async () => {
      const top = await tree(['a/.b/c', '.git/config', 'p/node_modules/x/y']);
      expect(await found(top)).toEqual(['.git', 'a', 'a/.b', 'a/.b/c', 'p', 'p/node_modules']);
      expect(await found(join(top, 'p/node_modules'))).toEqual(['x', 'x/y']);
      expect(await found(top, { skippedFolders: [], onlyFiles: true })).toEqual([
        '.git/config',
        'a/.b/c',
        'p/node_modules/x/y',
      ]);
    });

    test('ends at its depth, and at its number of entries', async () => {
      const top = await tree(['1/2/3/4', ...Array.from({ length: 600 }, (_, file) => `many/${file}`)]);
      expect((await found(join(top, '1'), { maxDepth: 2 })).sort()).toEqual(['2', '2/3']);
      expect(await found(join(top, 'many'), { maxEntries: 400 })).toHaveLength(400);
      expect(await found(top, { maxEntries: 10 })).toHaveLength(10);
    });

    test('ends at its time and by its signal, in the middle of a folder too', async () => {
      const top = await tree(Array.from({ length: 600 }, (_, file) => `many/${file}`));
      expect(await found(top, { timeoutMs: 0 })).toEqual([]);
      const controller = new AbortController();
      const select = (entries: Awaited<ReturnType<typeof findFiles>>) => {
        if (entries.length > 1) controller.abort();
        return entries;
      };
      expect((await found(top, { signal: controller.signal, select })).length).toBeLessThan(300);
      expect(await found(top, { signal: AbortSignal.abort() })).toEqual([]);
      expect(await found(top, { signal: AbortSignal.abort(), matches: () => true })).toEqual([]);
    });

    test('names links and follows none, loops and links out of the folder included', async () => {
      const top = await tree(['in/a/x', 'out/secret']);
      await symlink('..', join(top, 'in/a/loop'));
      await symlink('self', join(top, 'in/a/self'));
      await symlink('../out', join(top, 'in/out'));
      expect(await found(join(top, 'in'))).toEqual(['a', 'a/loop', 'a/self', 'a/x', 'out']);
      expect(await found(join(top, 'in'), { onlyFiles: true })).toEqual(['a/x']);
    });

    test('takes a folder that cannot be read, or that is gone, for empty', async () => {
      const top = await tree(['closed/x', 'gone/x', 'open/x']);
      await chmod(join(top, 'closed'), 0);
      const select = async (entries: Awaited<ReturnType<typeof findFiles>>) => {
        await rm(join(top, 'gone'), { recursive: true, force: true });
        return entries;
      };
      // Root reads it all the same.
      const closed = process.getuid?.() === 0 ? ['closed', 'closed/x'] : ['closed'];
      expect(await found(top, { select })).toEqual([...closed, 'gone', 'open', 'open/x']);
      expect(await found(join(top, 'nowhere'))).toEqual([]);
      await chmod(join(top, 'closed'), 0o700);
    });

    test('finds what lies beside a name that is not UTF-8', async () => {
      const top = await tree(['a/x', 'a/b/y']);
      await writeFile(Buffer.concat([Buffer.from(join(top, 'a/')), Buffer.from([0xff])]), '');
      expect(await found(top)).toEqual(['a', 'a/b', 'a/b/y', 'a/x', 'a/\ufffd']);
    });

    test('finds names with special characters in them', async () => {
      const names = ['a\nb', String.raw`back\slash`, '{a,b}', '[x]', '*', '!no', '(a+)+', '#', ' ', '..c'];
      expect(await found(await tree(names))).toEqual(names.toSorted());
    });
  });

  test('a folder takes more than a size once its files do, wherever they lie', async () => {
    const top = await tree(['.git/a', 'node_modules/b', 'c']);
    await writeFile(join(top, 'node_modules/b'), 'x'.repeat(1_000_000));
    expect(await exceedsSize([top], 500_000)).toBe(true);
    expect(await exceedsSize([join(top, '.git'), top], 2_000_000)).toBe(false);
    expect(await exceedsSize([join(top, 'nowhere')], 0)).toBe(false);
    const entries = (await readdir(top, { recursive: true })).length;
    expect(await exceedsSize([top], 2_000_000, entries)).toBe(false);
    expect(await exceedsSize([top], 2_000_000, entries - 1)).toBe(true);
  });
});

describe('a glob pattern', () => {
  test.each([
    ['*.ts', 'a.ts', true],
    ['*.ts', 'src/a.ts', false],
    ['**/*.ts', 'a.ts', true],
    ['**/*.ts', 'src/deep/a.ts', true],
    ['src/**', 'src/deep/a.ts', true],
    ['src/**/test/*.js', 'src/test/a.js', true],
    ['src/**/test/*.js', 'src/a/b/test/a.js', true],
    ['src/**/test/*.js', 'src/a/b/tests/a.js', false],
    ['a?c', 'abc', true],
    ['a?c', 'ac', false],
    ['[a-c]x', 'bx', true],
    ['[!a-c]x', 'bx', false],
    ['*.{ts,tsx}', 'a.tsx', true],
    ['{a,b{1,2}}.c', 'b2.c', true],
    ['{a}.c', '{a}.c', true],
    [String.raw`\*.c`, '*.c', true],
    [String.raw`\*.c`, 'a.c', false],
    ['./src/*', 'src/a', true],
    ['.*', '.env', true],
    ['app/[id]/page.tsx', 'app/[id]/page.tsx', true],
    ['app/[...slug]/*.tsx', 'app/[...slug]/page.tsx', true],
    ['app/[id]/*.tsx', 'app/i/page.tsx', true],
    ['{id}/$a.ts', '{id}/$a.ts', true],
  ])('%s on %s: %s', (pattern, path, matches) => {
    expect(compileGlob(pattern)(path)).toBe(matches);
  });

  test('matches every path as itself once its special characters are escaped', () => {
    fc.assert(
      fc.property(
        fc.array(fc.string({ minLength: 1, maxLength: 8 }), { minLength: 1, maxLength: 4 }),
        (segments) => {
          const path = segments.map((segment) => segment.replaceAll('/', '_')).join('/');
          fc.pre(!path.startsWith('./'));
          expect(compileGlob(path.replace(/[*?[\]{}\\,]/g, String.raw`\$&`))(path)).toBe(true);
        },
      ),
    );
  });
});

describe('a pattern of a model is refused with advice', () => {
  test.each([
    ['where a name has more than three stars', '**/*a*a*a*a*b', 'more than 3 stars in one name; use fewer'],
    ['where its braces have too many alternatives', `{a,b}`.repeat(9), 'more than 256 patterns; use fewer'],
    ['where a range has', '{1..300}', 'more than 256 patterns; use fewer'],
    ['where they are all the same', `{a,a}`.repeat(9), 'more than 256 patterns; use fewer'],
    ['where it is too long', 'a/'.repeat(501), 'more than 1000 characters; use a shorter one'],
  ])('%s', (_name, pattern, advice) => {
    expect(() => compileModelGlob(pattern)).toThrow(
      expect.objectContaining({ code: 'INVALID_PATTERN', message: expect.stringContaining(advice) }),
    );
  });

  test('and not at the limits', () => {
    for (const pattern of ['**/*a*a*', `{a,b}`.repeat(8), '{1..256}', 'a'.repeat(1000), '***/*'])
      expect(compileModelGlob(pattern)).toBeInstanceOf(Function);
  });
});

test.each([
  ['stars of an operator in one name', '*a*a*a*a*a*a*b', 'a'.repeat(4_000)],
  ['stars in several names', '*a*a*a/*a*a*a/*a*a*a/b', `${'a'.repeat(250)}/`.repeat(3) + 'c'],
  ['any folders', `${'**/a/'.repeat(190)}b`, `${'a/'.repeat(2_000)}c`],
  ['any folders with stars', `${'**/*a*a/'.repeat(110)}b`, `${`${'a'.repeat(250)}/`.repeat(15)}c`],
  ['groups, which are none', '(a+)+(a|a)*b', 'a'.repeat(4_000)],
  ['alternatives', `${'{a,aa}'.repeat(8)}*b`, 'a'.repeat(4_000)],
])('matching takes little time: %s', (_name, pattern, path) => {
  const tookMs = processorMs(() => {
    expect(compileGlob(pattern)(path)).toBe(false);
  });
  expect(tookMs).toBeLessThan(5_000);
});

/** Dependencies that are shared with a task are the same for its commands and for its file tools, and never written. */
describe('shown folders', () => {
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
    await put(join(workspace, '.gitignore'), 'node_modules/\n');
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

    test('never write or remove anything of it', async () => {
      const { env, source } = await shared('off');
      const refused = { code: 'PATH_PROTECTED', message: expect.stringContaining('node_modules is shared') };
      await expect(env.writeFile('node_modules/left-pad/index.js', 'x')).rejects.toMatchObject(refused);
      await expect(env.writeFile('node_modules/new/index.js', 'x')).rejects.toMatchObject(refused);
      await expect(env.deleteFile('node_modules/left-pad/index.js')).rejects.toMatchObject(refused);
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
      const other = await env.openTree({ dir: copy, gitDirs: [] });
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
        const copy = await env.openTree({ dir, gitDirs: [], ...(isGiven && { cacheDir }) });
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
        'cat node_modules/left-pad/index.js; ls node_modules; touch node_modules/x',
      );
      expect(stdout).toBe(`module.exports = "needle";\nleft-pad\noutside\nui\n`);
      expect((await env.readFile('node_modules/left-pad/index.js')).text).toBe(
        'module.exports = "needle";\n',
      );
    });
  });
});

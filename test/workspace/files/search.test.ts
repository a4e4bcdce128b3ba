/** grep, glob and listing folders. */
import { describe, expect, test } from '@jest/globals';
import { mkdir, symlink, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Fixture, refusal, withWorkspace } from '../../support/workspace-fixture.ts';

async function project({ put }: Fixture): Promise<void> {
  const files: Record<string, string> = {
    'src/a.ts': 'const needle = 1;\nconst other = 2;\n',
    'src/deep/b.ts': '// Needle\r\nneedle();\r\n',
    'src/deep/c.js': 'needle\n',
    '.github/ci.yml': 'needle: true\n',
    'dist/out.js': 'needle\n',
    'src/debug.log': 'needle\n',
    'node_modules/x/index.js': 'needle\n',
    '.git/config': 'needle\n',
    '.gitignore': 'dist/\n*.log\n',
  };
  for (const [path, content] of Object.entries(files)) await put(`workspace/${path}`, content);
}

test('named pipes that are called like ignore files are taken for empty ones', async () => {
  await withWorkspace({}, async (fixture) => {
    await project(fixture);
    await fixture.env.execCommand('mkfifo .ignore src/.gitignore src/deep/.gitignore src/deep/.rgignore');
    const startMs = performance.now();
    expect((await fixture.env.glob('**/*.ts')).toSorted()).toEqual(['src/a.ts', 'src/deep/b.ts']);
    const { matches, truncated } = await fixture.env.grep('needle', { path: 'src/deep' });
    expect(matches.map(({ path }) => path)).toEqual(['src/deep/b.ts', 'src/deep/c.js']);
    expect(truncated).toBe(false);
    expect(performance.now() - startMs).toBeLessThan(20_000);
  });
});

describe('grep', () => {
  test('finds lines in files that are not ignored, sorted, without a git repository', async () => {
    await withWorkspace({}, async (fixture) => {
      await project(fixture);
      expect(await fixture.env.grep('needle')).toEqual({
        matches: [
          { path: '.github/ci.yml', line: 1, text: 'needle: true' },
          { path: 'src/a.ts', line: 1, text: 'const needle = 1;' },
          { path: 'src/deep/b.ts', line: 2, text: 'needle();' },
          { path: 'src/deep/c.js', line: 1, text: 'needle' },
        ],
        truncated: false,
      });
    });
  });

  test('names the files behind a binary one rightly', async () => {
    await withWorkspace({}, async ({ env, put }) => {
      // Zeros far behind a match: ripgrep stops there and says so.
      const binary = `needle\n${'x\n'.repeat(100_000)}\0\nneedle\n`;
      for (const name of ['a', 'c', 'e']) await put(`workspace/${name}.bin`, binary);
      for (const name of ['b', 'd', 'f']) await put(`workspace/${name}.txt`, 'needle\n');
      const { matches } = await env.grep('needle');
      expect(new Set(matches.map(({ path }) => path))).toEqual(
        new Set(['a.bin', 'b.txt', 'c.bin', 'd.txt', 'e.bin', 'f.txt']),
      );
    });
  });

  test('takes a folder or a file, a glob for names, and case', async () => {
    await withWorkspace({}, async (fixture) => {
      await project(fixture);
      const paths = async (options: object) =>
        (await fixture.env.grep('needle', options)).matches.map(({ path, line }) => `${path}:${line}`);
      expect(await paths({ path: 'src/deep', include: '*.ts', caseSensitive: false })).toEqual([
        'src/deep/b.ts:1',
        'src/deep/b.ts:2',
      ]);
      expect(await paths({ path: join(fixture.workspace, 'src/a.ts') })).toEqual(['src/a.ts:1']);
      expect(await paths({ path: 'src' })).not.toContain('src/debug.log:1');
    });
  });

  test('stops at the limit and says that there is more', async () => {
    await withWorkspace({}, async ({ env, put }) => {
      await put('workspace/many.txt', 'hit\n'.repeat(50_000));
      expect(await env.grep('hit', { maxResults: 3 })).toMatchObject({
        matches: { length: 3 },
        truncated: true,
      });
      await put('workspace/three.txt', 'only\n'.repeat(3));
      expect(await env.grep('only', { maxResults: 3 })).toMatchObject({
        matches: { length: 3 },
        truncated: false,
      });
    });
  });

  test('refuses an invalid pattern with the message of ripgrep', async () => {
    await withWorkspace({}, async ({ env }) => {
      await expect(env.grep('foo(')).rejects.toMatchObject({
        code: 'INVALID_PATTERN',
        message: expect.stringContaining('unclosed group'),
      });
    });
  });

  test('shortens very long lines, and survives strange names', async () => {
    await withWorkspace({}, async ({ env, put }) => {
      await put('workspace/min.js', `${'x'.repeat(5_000_000)}needle`);
      await put('workspace/odd\nname:1:.txt', 'needle\n');
      const { matches } = await env.grep('needle|xxx');
      expect(matches.map(({ path }) => path)).toEqual(['min.js', 'odd\nname:1:.txt']);
      expect(matches[0]?.text.length).toBeLessThan(700);
    });
  });

  test('shows what is around a match that stands far in a long line', async () => {
    await withWorkspace({}, async ({ env, put }) => {
      const min = `a;\n${'x'.repeat(40_000)} before(NEEDLE) after ${'ü'.repeat(3_000)}\nNEEDLE too\n`;
      await put('workspace/min.js', min);
      await put('workspace/end.js', `${'ü'.repeat(2_000)}é:last NEEDLE`);
      const { matches } = await env.grep('NEEDLE');
      expect(matches.map(({ path, line }) => [path, line])).toEqual([
        ['end.js', 1],
        ['min.js', 2],
        ['min.js', 3],
      ]);
      expect(matches[0]?.text).toMatch(/^…ü+é:last NEEDLE$/u);
      expect(matches[1]?.text).toMatch(/^…x+ before\(NEEDLE\) after ü+…$/u);
      expect(matches[1]?.text.length).toBeLessThanOrEqual(502);
      expect(matches[2]?.text).toBe('NEEDLE too');
    });
  });

  test('is not hung by a hostile pattern', async () => {
    await withWorkspace({}, async ({ env, put }) => {
      await put('workspace/a.txt', `${'a'.repeat(50_000)}b\n`);
      expect((await env.grep('(a+)+$')).matches).toEqual([]);
    });
  });

  test('is ended by its signal', async () => {
    await withWorkspace({}, async ({ env }) => {
      expect(await refusal(env.grep('x', { signal: AbortSignal.abort() }))).toBe('ABORTED');
    });
  });

  test('does not follow links out of the workspace, nor ignore files above it', async () => {
    await withWorkspace({}, async ({ base, env, put, workspace }) => {
      await put('outside/secret.txt', 'needle\n');
      await put('.gitignore', '*\n');
      await put('workspace/a.txt', 'needle\n');
      await symlink(join(base, 'outside'), join(workspace, 'link'));
      await symlink(join(base, 'outside/secret.txt'), join(workspace, 'link.txt'));
      expect((await env.grep('needle')).matches.map(({ path }) => path)).toEqual(['a.txt']);
    });
  });
});

describe('glob', () => {
  test('gives the newest first, without what is ignored', async () => {
    await withWorkspace({}, async (fixture) => {
      await project(fixture);
      await utimes(join(fixture.workspace, 'src/deep/b.ts'), 5000, 5000);
      await utimes(join(fixture.workspace, 'src/a.ts'), 9000, 9000);
      expect(await fixture.env.glob('**/*.{ts,js}')).toEqual(['src/deep/c.js', 'src/a.ts', 'src/deep/b.ts']);
      expect(await fixture.env.glob('*.ts', { path: 'src' })).toEqual(['src/a.ts']);
      expect(await fixture.env.glob('src/deep/*')).toEqual(['src/deep/c.js', 'src/deep/b.ts']);
      expect(await fixture.env.glob('**/*.log')).toEqual([]);
      expect(await fixture.env.glob('src/a.ts')).toEqual(['src/a.ts']);
      expect(await fixture.env.glob(`${fixture.workspace}/src/*.ts`)).toEqual(['src/a.ts']);
      expect(await fixture.env.glob('nowhere/*.ts')).toEqual([]);
    });
  });

  test('follows nested ignore files and takes back what they take back', async () => {
    await withWorkspace({}, async ({ env, put }) => {
      await put('workspace/.gitignore', '*.txt\n!keep.txt\n/only-top\nbuild/\n');
      await put('workspace/sub/.gitignore', '!local.txt\n');
      for (const path of [
        'a.txt',
        'keep.txt',
        'only-top',
        'sub/only-top',
        'sub/local.txt',
        'sub/b.txt',
        'x/build/keep.txt',
      ]) {
        await put(`workspace/${path}`, '');
      }
      const found = (await env.glob('**')).toSorted();
      expect(found).toEqual(['.gitignore', 'keep.txt', 'sub/.gitignore', 'sub/local.txt', 'sub/only-top']);
      expect(await env.glob('sub/*.txt')).toEqual(['sub/local.txt']);
    });
  });

  test('reads the ends of ignore lines as git does, however long they are', async () => {
    await withWorkspace({}, async ({ env, put }) => {
      await put(
        'workspace/.gitignore',
        `a.txt   \nheld\\ \nbuild/\n${' '.repeat(400_000)}x\n${'/'.repeat(400_000)}x\n`,
      );
      for (const path of ['a.txt', 'held ', 'build/b.txt', 'c.txt']) await put(`workspace/${path}`, '');
      expect((await env.glob('**')).toSorted()).toEqual(['.gitignore', 'c.txt']);
    });
  });

  test('is bounded, and refuses patterns that lead out or explode', async () => {
    await withWorkspace({}, async ({ env, put, workspace }) => {
      for (let file = 0; file < 20; file += 1) await put(`workspace/${file}.txt`, '');
      expect(await env.glob('*.txt', { maxResults: 5 })).toHaveLength(5);
      expect(await refusal(env.glob('../*'))).toBe('PATH_OUTSIDE_WORKSPACE');
      expect(await refusal(env.glob('*/../../*'))).toBe('INVALID_PATTERN');
      expect(await refusal(env.glob('{a,b}'.repeat(20)))).toBe('INVALID_PATTERN');
      expect(await refusal(env.glob('**/*a*a*a*a*b'))).toBe('INVALID_PATTERN');
      expect(await refusal(env.listDirectory('.', { pattern: '*a*a*a*a*b' }))).toBe('INVALID_PATTERN');
      await writeFile(join(workspace, 'a'.repeat(250)), '');
      expect(await env.glob('*a*a*b')).toEqual([]);
    });
  });

  test('is ended by its signal, as a listing is', async () => {
    await withWorkspace({}, async ({ env, put }) => {
      await put('workspace/a.txt', '');
      const signal = AbortSignal.abort();
      expect(await refusal(env.glob('**', { signal }))).toBe('ABORTED');
      expect(await refusal(env.listDirectory('.', { signal }))).toBe('ABORTED');
    });
  });

  test('does not follow links', async () => {
    await withWorkspace({}, async ({ base, env, put, workspace }) => {
      await put('outside/secret.txt', '');
      await mkdir(join(workspace, 'in'));
      await symlink(join(base, 'outside'), join(workspace, 'in/link'));
      expect(await env.glob('**/*')).toEqual([]);
    });
  });
});

describe('listing a folder', () => {
  test('gives names, types and sizes, relative to the workspace', async () => {
    await withWorkspace({}, async (fixture) => {
      await project(fixture);
      await symlink('src/a.ts', join(fixture.workspace, 'src/link'));
      expect(await fixture.env.listDirectory('src')).toEqual({
        entries: [
          { path: 'src/a.ts', type: 'file', sizeBytes: 35 },
          { path: 'src/debug.log', type: 'file', sizeBytes: 7 },
          { path: 'src/deep', type: 'directory', sizeBytes: expect.any(Number) },
          { path: 'src/link', type: 'symlink', sizeBytes: 8 },
        ],
        omittedCount: 0,
      });
      const deep = await fixture.env.listDirectory('.', { recursive: true, pattern: '*.ts' });
      expect(deep.entries.map(({ path }) => path)).toEqual(['src/a.ts', 'src/deep/b.ts']);
      const all = await fixture.env.listDirectory('.', { recursive: true });
      expect(all.entries.map(({ path }) => path)).toContain('node_modules');
      expect(all.entries.map(({ path }) => path)).not.toContain('node_modules/x');
    });
  });

  test('stops at 500 entries and five levels, and says how many it left out', async () => {
    await withWorkspace({}, async ({ env, put }) => {
      await Promise.all(Array.from({ length: 520 }, (_, file) => put(`workspace/flat/${file}.txt`, '')));
      expect(await env.listDirectory('flat')).toMatchObject({ entries: { length: 500 }, omittedCount: 20 });
      await put('workspace/1/2/3/4/5/6.txt', '');
      const { entries } = await env.listDirectory('1', { recursive: true });
      expect(entries.map(({ path }) => path)).toEqual([
        '1/2',
        '1/2/3',
        '1/2/3/4',
        '1/2/3/4/5',
        '1/2/3/4/5/6.txt',
      ]);
    });
  });

  test('of something that is no folder is refused', async () => {
    await withWorkspace({}, async ({ env, put }) => {
      await put('workspace/a.txt', '');
      expect(await refusal(env.listDirectory('a.txt'))).toBe('NOT_A_DIRECTORY');
      expect(await refusal(env.listDirectory('b'))).toBe('NOT_FOUND');
    });
  });
});

/** The walk that glob, listings, suggestions and sizes share, on trees that are made to be hard. */
import { describe, expect, test } from '@jest/globals';
import { chmod, mkdir, readdir, rm, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { findFiles, type FindOptions } from '../../sidecar/files/find-files.ts';
import { takesMoreThan } from '../../sidecar/files/folder-size.ts';
import { IgnoreRules } from '../../sidecar/files/ignore-rules.ts';
import { processorMs } from '../support/pace.ts';
import { tempFolders } from '../support/temp-folder.ts';

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
    expect(await found(top, { notEntered: [], onlyFiles: true })).toEqual([
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
  expect(await takesMoreThan([top], 500_000)).toBe(true);
  expect(await takesMoreThan([join(top, '.git'), top], 2_000_000)).toBe(false);
  expect(await takesMoreThan([join(top, 'nowhere')], 0)).toBe(false);
  const entries = (await readdir(top, { recursive: true })).length;
  expect(await takesMoreThan([top], 2_000_000, entries)).toBe(false);
  expect(await takesMoreThan([top], 2_000_000, entries - 1)).toBe(true);
});

describe('ignore rules that are made to take long', () => {
  const name = 'ab'.repeat(127);
  const paths = [name, `${name}/`.repeat(3) + name, `${'a/b/'.repeat(20)}c`, `${'a/'.repeat(2_000)}c`];

  test.each([
    ['stars', '*a*a*a*a*a*a*c'],
    ['stars in several segments', '*a*b/*a*b/*a*b/c'],
    ['folders', '**/a/**/b/**/a/**/b/**/c'],
    ['what lines may have', '**/*a*/**/c'],
    ['question marks', `${'?'.repeat(240)}c`],
    ['groups', '(a+)+(b|a)*c'],
    ['spaces', `${' '.repeat(1_000)}x`],
  ])('%s', (_name, line) => {
    const rules = new IgnoreRules();
    const tookMs = processorMs(() => {
      rules.add('', Array.from({ length: 3_000 }, (_, index) => line + index).join('\n'));
      for (const path of paths) rules.ignores(path, false);
    });
    expect(tookMs).toBeLessThan(10_000);
  });
});

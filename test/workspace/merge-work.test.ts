/** A finished task's commit is merged into a person's repository, or nothing of theirs is touched. */
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { execa } from 'execa';
import { mergeWork } from '../../sidecar/workspace/merge-work.ts';
import { sampleRepository } from '../support/sample-repository.ts';

let dir: string;
let repo: string;
/** Of the branch `work`, which changes `a.txt` to `good`. */
let commit: string;

const git = async (...args: string[]): Promise<string> =>
  (await execa('git', ['-c', 'user.name=t', '-c', 'user.email=t@t', ...args], { cwd: repo })).stdout;
const write = (name: string, text: string) => writeFile(join(repo, name), text);
const read = (name: string) => readFile(join(repo, name), 'utf8');
const merge = (more: { allowDirty?: boolean; commit?: string } = {}) =>
  mergeWork({ repo, commit, branch: 'work', allowDirty: false, ...more });

beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'sidecar-merge-'));
  repo = await sampleRepository(dir, { 'b.txt': 'b\n' });
  await git('config', 'user.name', 'Person');
  await git('config', 'user.email', 'person@example');
  await git('checkout', '-q', '-b', 'work');
  await write('a.txt', 'good\n');
  await git('commit', '-qam', 'work');
  commit = await git('rev-parse', 'HEAD');
  await git('checkout', '-q', 'main');
});
afterEach(() => rm(dir, { recursive: true, force: true }));

/** Commits another text of a file on `main`. */
async function meanwhile(name: string, text: string): Promise<void> {
  await write(name, text);
  await git('commit', '-qam', 'meanwhile');
}

describe('a merge', () => {
  test('goes forward, and once', async () => {
    expect(await merge()).toMatchObject({ ok: true });
    expect(await read('a.txt')).toBe('good\n');
    expect(await merge()).toEqual({ ok: true, value: 'It is merged already.' });
  });

  test('joins other work as the person, who is told of no hook', async () => {
    await meanwhile('b.txt', 'other\n');
    await writeFile(join(repo, '.git/hooks/post-merge'), `#!/bin/sh\ntouch ${dir}/ran\n`, { mode: 0o755 });
    expect(await merge()).toMatchObject({ ok: true });
    expect(await git('log', '-1', '--format=%an %s')).toBe("Person Merge branch 'work'");
    expect([await read('a.txt'), await read('b.txt')]).toEqual(['good\n', 'other\n']);
    await expect(readFile(join(dir, 'ran'))).rejects.toThrow(/ENOENT/u);
  });

  test('runs no filter and no merge driver that the commit’s attributes name', async () => {
    const ran = join(dir, 'ran');
    for (const key of ['clean', 'smudge', 'process'])
      await git('config', `filter.f.${key}`, `touch ${ran}; cat`);
    const off = ['clean', 'smudge', 'process'].flatMap((key) => ['-c', `filter.f.${key}=`]);
    const without = [...off, '-c', 'filter.f.required=false'];
    await git('config', 'filter.f.required', 'true');
    await git('config', 'merge.d.driver', `touch ${ran}`);
    await git('checkout', '-q', 'work');
    await write('.gitattributes', '* filter=f merge=d\n');
    await git(...without, 'add', '-A');
    await git(...without, 'commit', '-qm', 'attributes');
    commit = await git('rev-parse', 'HEAD');
    await git(...without, 'checkout', '-q', 'main');
    await rm(ran, { force: true });
    await meanwhile('b.txt', 'other\n');
    expect(await merge()).toMatchObject({ ok: true });
    expect(await read('a.txt')).toBe('good\n');
    await expect(readFile(ran)).rejects.toThrow(/ENOENT/u);
  });

  test('with a conflict is taken back, and its files are named', async () => {
    await meanwhile('a.txt', 'other\n');
    const before = await git('rev-parse', 'HEAD');
    expect(await merge()).toMatchObject({
      failure: {
        code: 'workspace_merge_failed',
        message: expect.stringMatching(/Conflicts in:\na\.txt\nNothing was changed/u),
      },
    });
    expect([await read('a.txt'), await git('status', '--porcelain'), await git('rev-parse', 'HEAD')]).toEqual(
      ['other\n', '', before],
    );
  });

  test.each([
    ['a commit that is not there', { commit: '0'.repeat(40) }, 'workspace_ref_missing'],
    ['what is no commit id', { commit: '--abort' }, 'workspace_ref_missing'],
  ])('of %s is refused', async (_what, more, code) => {
    expect(await merge(more)).toMatchObject({ failure: { code } });
  });

  test('into a bare repository is refused', async () => {
    await git('clone', '-q', '--bare', repo, join(dir, 'bare.git'));
    repo = join(dir, 'bare.git');
    expect(await merge()).toMatchObject({ failure: { code: 'workspace_no_work_tree' } });
  });
});

describe('edits that are not committed', () => {
  test('stop a merge and are named', async () => {
    await write('b.txt', 'edited\n');
    expect(await merge()).toMatchObject({
      failure: { code: 'workspace_dirty', message: expect.stringMatching(/\n ?M b\.txt/u) },
    });
    expect(await read('a.txt')).toBe('bad\n');
  });

  test('stay where the merge is wanted all the same', async () => {
    await write('b.txt', 'edited\n');
    expect(await merge({ allowDirty: true })).toMatchObject({ ok: true });
    expect([await read('a.txt'), await read('b.txt')]).toEqual(['good\n', 'edited\n']);
  });

  test('of a file of the merge stay, and nothing is merged', async () => {
    await write('a.txt', 'edited\n');
    const refused = await merge({ allowDirty: true });
    expect(refused).toMatchObject({ failure: { code: 'workspace_merge_failed' } });
    expect([await read('a.txt'), await git('log', '-1', '--format=%s')]).toEqual(['edited\n', 'start']);
  });

  test('stay where the merge would have conflicts', async () => {
    await meanwhile('a.txt', 'other\n');
    await write('b.txt', 'edited\n');
    expect(await merge({ allowDirty: true })).toMatchObject({ failure: { code: 'workspace_merge_failed' } });
    expect([await read('a.txt'), await read('b.txt')]).toEqual(['other\n', 'edited\n']);
  });

  test('of a merge that the person has under way are not taken back', async () => {
    await git('checkout', '-q', '-b', 'theirs');
    await meanwhile('b.txt', 'theirs\n');
    await git('checkout', '-q', 'main');
    await git('merge', '-q', '--no-commit', '--no-ff', 'theirs');
    expect(await merge({ allowDirty: true })).toMatchObject({ failure: { code: 'workspace_dirty' } });
    expect(await read('b.txt')).toBe('theirs\n');
    expect(await git('rev-parse', 'MERGE_HEAD')).toBe(await git('rev-parse', 'theirs'));
  });
});

/** Links of a change that lead out of the repository, from git's own patches. */
import { symlinkSync, unlinkSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, expect, test } from '@jest/globals';
import { linksOutNote } from '../../sidecar/verification/links-out.ts';
import { cleanUp, git, repository, write } from '../workspace/repositories.ts';

afterAll(cleanUp);

test('new and changed links that lead out are named, others are not', () => {
  const repo = repository({ 'sub/a.txt': 'a\n' });
  symlinkSync('sub', join(repo, 'was-inside'));
  git(repo, 'add', '-A');
  git(repo, 'commit', '-qm', 'a link');
  unlinkSync(join(repo, 'was-inside'));
  for (const [path, target] of [
    ['was-inside', '../elsewhere'],
    ['absolute', '/etc/passwd'],
    ['sub/up', '../../x'],
    ['sub/inside', '../sub/a.txt'],
  ] as const)
    symlinkSync(target, join(repo, path));
  write(repo, { 'text.txt': '/etc/passwd\n' });
  git(repo, 'add', '-A');
  const patch = `${git(repo, 'diff', '--cached', '--binary', '--full-index')}\n`;
  expect(linksOutNote(patch)).toBe(
    'Links lead out of the repository: absolute → /etc/passwd, sub/up → ../../x, was-inside → ../elsewhere',
  );
  expect(linksOutNote('')).toBeUndefined();
});

import { execFileSync } from 'node:child_process';
import { rmSync } from 'node:fs';
import { afterAll, describe, expect, test } from '@jest/globals';
import * as fc from '../support/properties.ts';
import { taskBranch, taskName } from '../../sidecar/workspace/task-names.ts';
import { prepared } from './prepared.ts';
import { cleanUp, git, repository, temporaryFolder, write } from './repositories.ts';
import { scaled } from '../support/scale.ts';

afterAll(cleanUp);

const runs = scaled({ quick: 4, full: 30 });

/** Names that git and patches find hard; no two of one path that differ only as file and folder. */
const name = fc.stringMatching(/^[a-z][a-z0-9 "'*?[\]\\#!~$&(){};,\n\té✓-]{0,12}[a-z0-9é]$/);
const content = fc.oneof(
  fc.uint8Array({ maxLength: 200 }).map((bytes) => Buffer.from(bytes)),
  fc
    .array(fc.constantFrom('same', 'other', '', 'caf\u00e9', '\u00ff', '-- a', 'diff --git a/x b/x'), {
      maxLength: 12,
    })
    .map((lines) => Buffer.from(lines.join('\n'), 'latin1')),
);
const files = fc.dictionary(name, content, { maxKeys: 8 });

describe('a patch', () => {
  test('gives back the very tree it was made from, whatever names and bytes', async () => {
    await fc.assert(
      fc.asyncProperty(files, files, async (before, after) => {
        const repo = repository(before);
        const workspace = await prepared({ task_id: 't', repo });
        for (const path of Object.keys(before)) rmSync(`${workspace.dir}/${path}`);
        write(workspace.dir, after);
        const changes = await workspace.commit('x');
        expect(changes.patch_omitted).toBeUndefined();
        const copy = temporaryFolder();
        git(copy, 'clone', '-q', repo, '.');
        if (changes.patch !== '')
          execFileSync('git', ['apply', '--index', '-'], {
            cwd: copy,
            input: changes.patch,
            stdio: ['pipe', 'ignore', 'pipe'],
          });
        expect(git(copy, 'write-tree')).toBe(
          git(workspace.dir, 'rev-parse', `${changes.head_commit}^{tree}`),
        );
      }),
      { numRuns: runs },
    );
  });
});

describe('names made from task ids', () => {
  test('are possible refs and single path components, and differ where ids do', () => {
    fc.assert(
      fc.property(
        fc.string({ minLength: 1, maxLength: 256, unit: 'binary' }),
        fc.string({ minLength: 1, maxLength: 256 }),
        (a, b) => {
          for (const id of [a, b]) {
            expect(taskName(id)).toMatch(/^[A-Za-z0-9_][A-Za-z0-9._-]{0,120}$/);
            expect(taskBranch(id)).not.toMatch(/\.\.|\.lock$|\.$/);
          }
          if (a !== b) expect(taskName(a)).not.toBe(taskName(b));
        },
      ),
    );
  });
});

/** A link that is swapped in between check and use. */
import { expect, test } from '@jest/globals';
import { mkdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { WorkspacePaths } from '../../../sidecar/workspace/files/workspace-paths.ts';
import { stageContent } from '../../../sidecar/workspace/files/file-write.ts';
import { refusal, withWorkspace } from '../../support/workspace-fixture.ts';

test('a folder that became a link after the check is refused for reading and writing', async () => {
  await withWorkspace({}, async ({ base, put, workspace }) => {
    await put('outside/file.txt', 'precious');
    await put('workspace/folder/file.txt', 'mine');
    const paths = await WorkspacePaths.open(workspace);
    const checked = await paths.resolve('folder/file.txt');
    await rm(join(workspace, 'folder'), { recursive: true });
    await symlink(join(base, 'outside'), join(workspace, 'folder'));
    expect(await refusal(paths.withOpenFile(checked, (handle) => handle.readFile()))).toBe(
      'PATH_OUTSIDE_WORKSPACE',
    );
    expect(await refusal(paths.openParent(checked))).toMatch(/PATH_OUTSIDE_WORKSPACE|NOT_A_DIRECTORY/);
    expect(await refusal(paths.openParent(checked, { create: true }))).toMatch(
      /PATH_OUTSIDE_WORKSPACE|NOT_A_DIRECTORY/,
    );
  });
});

test('a file that became a link after the check is refused', async () => {
  await withWorkspace({}, async ({ base, put, workspace }) => {
    await put('outside.txt', 'precious');
    await put('workspace/file.txt', 'mine');
    const paths = await WorkspacePaths.open(workspace);
    const checked = await paths.resolve('file.txt');
    await rm(join(workspace, 'file.txt'));
    await symlink(join(base, 'outside.txt'), join(workspace, 'file.txt'));
    expect(await refusal(paths.withOpenFile(checked, (handle) => handle.readFile()))).toBe(
      'PATH_OUTSIDE_WORKSPACE',
    );
  });
});

test('a folder that becomes a link while it is open is written to where it was', async () => {
  await withWorkspace({}, async ({ base, put, workspace }) => {
    await put('outside/file.txt', 'precious');
    await put('workspace/folder/file.txt', 'mine');
    const paths = await WorkspacePaths.open(workspace);
    const checked = await paths.resolve('folder/file.txt');
    const folder = await paths.openParent(checked);
    await rm(join(workspace, 'folder'), { recursive: true });
    await symlink(join(base, 'outside'), join(workspace, 'folder'));
    const staged = stageContent(folder, 'file.txt', Buffer.from('changed'), undefined);
    await staged.then((content) => content.commit()).catch(() => undefined);
    await folder.close();
    expect(await readFile(join(base, 'outside/file.txt'), 'utf8')).toBe('precious');
  });
});

test('under constant swapping nothing from outside is ever read or written', async () => {
  await withWorkspace({}, async ({ base, env, put, workspace }) => {
    await put('outside/file.txt', 'precious');
    await mkdir(join(workspace, 'folder'));
    await writeFile(join(workspace, 'folder/file.txt'), 'mine');
    // A shell swaps the folder with a link as fast as it can.
    const controller = new AbortController();
    const swapping = env.execCommand(
      'while true; do mv folder real; ln -s ../outside folder; rm folder; mv real folder; done',
      { signal: controller.signal },
    );
    const seen = new Set<string>();
    for (let round = 0; round < 400; round += 1) {
      const read = env.readFile('folder/file.txt').then(({ text }) => text);
      seen.add(await read.catch((error: { code: string }) => error.code));
      await env.writeFile('folder/file.txt', 'mine').catch(() => undefined);
    }
    controller.abort();
    await swapping;
    expect(seen.has('precious')).toBe(false);
    expect(seen.has('mine')).toBe(true);
    expect(await readFile(join(base, 'outside/file.txt'), 'utf8')).toBe('precious');
  });
});

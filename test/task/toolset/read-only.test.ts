/** A task that is to change nothing gets no tools that change files. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { call, chatsOf, say, testModel } from '../../support/scripted-model.ts';
import { execute } from '../../support/scripted-run.ts';
import { tempFolders } from '../../support/temp-folder.ts';

const folder = tempFolders();

test('an edit is neither offered nor made, reading and commands are', async () => {
  const dir = folder();
  writeFileSync(join(dir, 'limits.txt'), 'idle = 900\n');
  const server = await testModel({
    models: [{ name: 'm' }],
    turns: [
      call('edit_file', { file_path: 'limits.txt', old_string: '900', new_string: '1200' }),
      call('read_file', { file_path: 'limits.txt' }),
      say('900 seconds, in limits.txt.'),
    ],
  });
  const { result } = await execute({ server, dir, task: { metadata: { read_only: true } } });
  expect(result).toMatchObject({ status: 'success', output: '900 seconds, in limits.txt.' });
  expect(result.changes.files).toEqual([]);
  expect(readFileSync(join(dir, 'limits.txt'), 'utf8')).toBe('idle = 900\n');
  const [first, second] = chatsOf(server);
  const offered = JSON.stringify(first?.tools);
  expect(offered).toContain('"read_file"');
  expect(offered).toContain('"shell"');
  expect(offered).not.toMatch(/edit_file|write_file|apply_patch/u);
  expect(second?.messages.at(-1)?.content).toContain('edit_file');
});

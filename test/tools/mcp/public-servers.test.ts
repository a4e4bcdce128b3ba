/** Servers that others wrote, as npm has them. */
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from '@jest/globals';
import type { LocalExecutionEnvironmentOptions } from '../../../sidecar/local-environment.ts';
import { describeWith } from '../../support/requirements.ts';
import { server, withServers } from './server-fixture.ts';

const packages = fileURLToPath(new URL('../../../node_modules', import.meta.url));
const program = (name: string) => `${packages}/@modelcontextprotocol/${name}/dist/index.js`;
const files = server({
  name: 'fs',
  args: [program('server-filesystem'), '.'],
  only: ['read_text_file', 'edit_file', 'directory_tree'],
});
const memory = server({
  name: 'memory',
  args: [program('server-memory')],
  env: { MEMORY_FILE_PATH: '/tmp/memory.jsonl' },
  only: ['create_entities', 'read_graph'],
});

function fileServer(environment: Partial<LocalExecutionEnvironmentOptions>): void {
  test('reads and changes what is in the workspace, and nothing else', async () => {
    const look = async ({ call, env, notes, names }: Parameters<Parameters<typeof withServers>[1]>[0]) => {
      expect(notes).toEqual([]);
      expect(names).toEqual(['fs_read_text_file', 'fs_edit_file', 'fs_directory_tree']);
      await env.writeFile('a.txt', 'hello\n');
      expect(await call('fs_read_text_file', { path: 'a.txt' })).toMatchObject({
        isError: false,
        output: 'hello\n',
      });
      await call('fs_edit_file', { path: 'a.txt', edits: [{ oldText: 'hello', newText: 'bye' }] });
      expect((await env.readFile('a.txt')).text).toBe('bye\n');
      expect(await call('fs_read_text_file', { path: '/etc/hostname' })).toMatchObject({
        isError: true,
        output: expect.stringContaining('Access denied'),
      });
    };
    await withServers([files], look, { environment });
  });
}

describe('the file server of npm', () => fileServer({}));
describeWith('bubblewrap', 'servers of npm in the sandbox', () => {
  const environment = { sandbox: 'required' as const, readOnlyPaths: [packages] };
  fileServer(environment);

  test('keep what they are told, in the folder for temporary files', async () => {
    await withServers(
      [memory],
      async ({ call }) => {
        const entities = [{ name: 'build', entityType: 'fact', observations: ['it takes a minute'] }];
        expect(await call('memory_create_entities', { entities })).toMatchObject({ isError: false });
        expect((await call('memory_read_graph')).output).toContain('it takes a minute');
      },
      { environment },
    );
  });
});

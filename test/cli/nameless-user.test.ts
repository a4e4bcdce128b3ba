import { afterEach, expect, test } from '@jest/globals';
import { execa } from 'execa';
import { resolve } from 'node:path';
import { describeWith } from '../support/requirements.ts';
import { commandLine, repair, type CommandLine } from './command-line.ts';

let cli: CommandLine;
afterEach(() => cli.close());

describeWith('user namespaces', 'a user whom the system does not know, without HOME', () => {
  const asNobody = (args: readonly string[], env: Record<string, string> = {}) =>
    execa('unshare', ['--user', '--map-user=12345', process.execPath, resolve('dist/cli.js'), ...args], {
      env: { PATH: process.env.PATH, ...env },
      extendEnv: false,
      cwd: cli.dir,
      reject: false,
    });

  test('sees the configuration', async () => {
    cli = await commandLine();
    const { exitCode, stdout, stderr } = await asNobody(['config', '--json']);
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
    expect(stdout).toContain('"ollama.url"');
  });

  test('runs a task where the folders are named', async () => {
    cli = await commandLine(repair);
    const { HOME: _home, XDG_CACHE_HOME: _cache, ...named } = cli.env;
    const folders = { SIDECAR_DATA_DIR: `${cli.dir}/data` };
    const repo = await cli.repository();
    const { exitCode, stderr } = await asNobody(['run', 'repair a.txt', '--repo', repo], {
      ...named,
      ...folders,
    });
    expect({ exitCode, stderr }).toMatchObject({ exitCode: 0 });
  });
});

/** What a task wrote and no commit can hold is told to the person who reads the result. */
import { execFileSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, test } from '@jest/globals';
import { call, say } from '../support/scripted-model.ts';
import { commandLine, type CommandLine } from './command-line.ts';

let cli: CommandLine;
afterEach(() => cli.close());

test.each([
  ['beside other work', 'echo x > lib/new.txt; echo y > top.txt'],
  ['alone', 'echo x > lib/new.txt'],
])('files in a submodule, %s', async (_name, command) => {
  cli = await commandLine({ turns: [call('shell', { command }), { ...say('Done.'), repeat: 'always' }] });
  const repo = await cli.repository();
  const inner = join(cli.dir, 'inner');
  mkdirSync(inner);
  const git = (cwd: string, ...args: string[]) =>
    execFileSync(
      'git',
      ['-c', 'user.name=t', '-c', 'user.email=t@t', '-c', 'protocol.file.allow=always', ...args],
      {
        cwd,
        stdio: 'pipe',
      },
    );
  git(inner, 'init', '-q');
  git(inner, 'commit', '-q', '--allow-empty', '-m', 'first');
  git(repo, 'submodule', '--quiet', 'add', inner, 'lib');
  git(repo, 'commit', '-qm', 'with a submodule');
  const { stdout } = await cli.start(['run', 'write', '--repo', repo, '--agentic', '--no-json']).ended;
  expect(stdout.replaceAll(/\s+/gu, ' ')).toContain(
    'Not all is in the changes: left out: lib/new.txt (in a submodule: give a task for the repository that it belongs to)',
  );
});

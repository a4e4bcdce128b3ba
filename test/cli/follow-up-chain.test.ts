/** What one task of a chain of follow-ups weakened is no base for the next one. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, expect, test } from '@jest/globals';
import { execa } from 'execa';
import { call, say } from '../support/scripted-model.ts';
import { commandLine, jsonLines, type CommandLine } from './command-line.ts';

let cli: CommandLine;
afterEach(() => cli.close());

interface Result {
  verification_status: string;
  verification_notes?: string[];
  follow_up?: { metadata: Record<string, unknown> };
  changes: { base_commit: string; files: { path: string }[] };
}
const resultOf = (stdout: string) => (jsonLines(stdout).at(-1) as { result: Result }).result;

test('a test that was weakened in the first try counts as changed in the second', async () => {
  const last = ['1', '2', '3'].map(say);
  cli = await commandLine({
    scripts: [
      {
        name: 'second',
        when: { firstUser: 'left unfinished' },
        turns: [call('shell', { command: 'touch b.txt' }), ...last],
      },
      { name: 'first', turns: [call('shell', { command: 'echo "exit 0" > check.sh' }), ...last] },
    ],
  });
  const repo = await cli.repository();
  await writeFile(join(repo, 'check.sh'), 'grep -qx good a.txt\n');
  const git = (...args: string[]) => execa('git', args, { cwd: repo });
  await git('add', '--all');
  await git('-c', 'user.name=t', '-c', 'user.email=t@localhost', 'commit', '-q', '-m', 'Check');
  const base = (await git('rev-parse', 'HEAD')).stdout;

  const checks = ['--verify', 'sh check.sh', '--verify', 'test -e b.txt'];
  const first = resultOf((await cli.run(['run', 'repair a.txt', '--repo', repo, ...checks])).stdout);
  expect(first.follow_up?.metadata).toMatchObject({ follow_up_base: base });

  const file = join(cli.dir, 'follow-up.json');
  await writeFile(file, JSON.stringify(first.follow_up));
  const second = resultOf((await cli.run(['run', '--file', file])).stdout);
  expect(second).toMatchObject({ verification_status: 'partial_pass', changes: { base_commit: base } });
  expect(second.changes.files.map(({ path }) => path)).toEqual(['b.txt', 'check.sh']);
  expect(second.verification_notes).toContain(
    'the task changed check.sh; run it with --may-change-checks if that is wanted',
  );
});

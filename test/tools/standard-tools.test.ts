import { symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from '@jest/globals';
import type { LocalExecutionEnvironment } from '../../sidecar/workspace/local-environment.ts';
import type { DispatchOptions } from '../../sidecar/tools/dispatch.ts';
import type { PlanUpdate } from '../../sidecar/tools/types.ts';
import { callTool, filesUnder } from './called-tools.ts';
import { localEnvironments } from '../support/local-environments.ts';

const environment = localEnvironments();
let env: LocalExecutionEnvironment;
let folder: string;
beforeEach(() => {
  env = environment();
  folder = env.workingDirectory;
});

const call = (toolName: string, args: object, options?: DispatchOptions) =>
  callTool(env, toolName, args, options);
const output = async (toolName: string, args: object): Promise<string> => (await call(toolName, args)).output;

describe('read_file', () => {
  beforeEach(() => env.writeFile('a.txt', 'one\ntwo\nthree\nfour\n'));

  test('numbers the lines', async () => {
    expect(await output('read_file', { file_path: 'a.txt' })).toBe('1 | one\n2 | two\n3 | three\n4 | four');
  });

  test('tells people how many it read', async () => {
    const summaryOf = async (limit: number) =>
      (await call('read_file', { file_path: 'a.txt', limit })).details?.summary;
    expect([await summaryOf(1), await summaryOf(3)]).toEqual(['1 line', '3 lines']);
  });

  test('says what was left out and how to read on', async () => {
    expect(await output('read_file', { file_path: 'a.txt', offset: 2, limit: 2 })).toBe(
      '2 | two\n3 | three\n[Lines 2-3 of 4. Read on with offset 4.]',
    );
  });

  test('reads 2000 lines unless told otherwise', async () => {
    await env.writeFile('big.txt', 'x\n'.repeat(2500));
    expect(await output('read_file', { file_path: 'big.txt' })).toMatch(
      /\n2000 \| x\n\[Lines 1-2000 of 2500\. Read on with offset 2001\.\]$/,
    );
  });

  test('shows CRLF lines and a byte order mark plainly', async () => {
    await env.writeFile('b.txt', '\uFEFFone\r\ntwo\r\n');
    expect(await output('read_file', { file_path: 'b.txt' })).toBe('1 | one\n2 | two');
  });

  test('says so when there is nothing to show', async () => {
    await env.writeFile('empty.txt', '');
    expect(await output('read_file', { file_path: 'empty.txt' })).toBe('(empty.txt is empty)');
    expect(await call('read_file', { file_path: 'a.txt', offset: 9 })).toMatchObject({
      isError: true,
      output: 'Line 9 is beyond the end of a.txt: it has 4 lines',
    });
  });

  test('suggests the closest paths for a missing file', async () => {
    const result = await call('read_file', { file_path: 'b.txt' });
    expect(result.isError).toBe(true);
    expect(result.output).toMatch(/^Tool error \(read_file\): .*a\.txt/);
  });

  test('refuses what leaves the workspace', async () => {
    await symlink('/etc', join(folder, 'link'));
    for (const path of ['../x', '/etc/passwd', 'link/passwd'])
      expect((await call('read_file', { file_path: path })).isError).toBe(true);
  });
});

describe('write_file', () => {
  test('creates, then overwrites, with parents and the size in bytes', async () => {
    expect(await output('write_file', { file_path: 'src/a.ts', content: 'grüße\n' })).toBe(
      'Wrote 8 bytes to src/a.ts (created)',
    );
    expect(await output('write_file', { file_path: 'src/a.ts', content: '' })).toBe(
      'Wrote 0 bytes to src/a.ts (overwritten)',
    );
    expect(await filesUnder(folder)).toEqual({ 'src/a.ts': '' });
  });

  test('keeps content that looks like another type as text', async () => {
    await call('write_file', { file_path: 'a', content: 'true' });
    await call('write_file', { file_path: 'b', content: '{"x": 1}' });
    expect(await filesUnder(folder)).toEqual({ a: 'true', b: '{"x": 1}' });
  });
});

describe('shell', () => {
  test('gives what was printed, then exit code and duration', async () => {
    const result = await call('shell', { command: 'echo out; echo err >&2' });
    expect(result.output).toMatch(/^out\nerr\n\[exit code 0, \d+ ms\]$/);
    expect(result).toMatchObject({ isError: false, details: { exitCode: 0, timedOut: false } });
  });

  test('a non-zero exit is an error', async () => {
    const result = await call('shell', { command: 'exit 3' });
    expect(result.isError).toBe(true);
    expect(result.output).toMatch(/^\[exit code 3, /);
  });

  test('a timeout says how to retry', async () => {
    const result = await call('shell', { command: 'echo begun; sleep 30', timeout_ms: 200 });
    expect(result.isError).toBe(true);
    expect(result.output).toMatch(/^begun\n\[timed out after 200 ms, .*\]\nRetry with a larger timeout_ms/);
  });

  test.each([
    ['cd /nowhere-at-all && ls', "[Commands start in the workspace's top folder already: leave out the cd.]"],
    [
      'echo "fatal: Unable to create \'/x/a.git/index.lock\': Read-only file system"; exit 128',
      '[git cannot write here: your changes are committed for you. Continue without add, commit, stash and checkout; use mv and rm instead of git mv and git rm.]',
    ],
  ])('%s fails with advice', async (command, advice) => {
    expect((await output('shell', { command })).split('\n').at(-1)).toBe(advice);
  });

  test('advice is looked for in what was printed last', async () => {
    const command =
      'for i in 1 2 3 4 5 6 7 8; do printf "%0100000d\\n" 0 | tr 0 " "; printf ".git"; done; printf "%01000000d" 0 | sed "s/0/.git/g"; exit 1';
    expect(await output('shell', { command })).toMatch(/\[exit code 1, /);
  });

  test('works in another folder', async () => {
    await env.writeFile('sub/a', '');
    expect(await output('shell', { command: 'ls', cwd: 'sub' })).toMatch(/^a\n/);
  });

  test('streams what a command prints', async () => {
    const chunks: string[] = [];
    await call(
      'shell',
      { command: 'echo one; echo two >&2' },
      {
        onOutput: (request, { stream, text }) => chunks.push(`${request.toolName} ${stream} ${text}`),
      },
    );
    expect(chunks.join('')).toContain('shell stdout one');
    expect(chunks.join('')).toContain('shell stderr two');
  });

  test('a command on the deny list is refused early and clearly', async () => {
    const result = await call('shell', { command: 'sudo ls' });
    expect(result.isError).toBe(true);
    expect(result.output).toContain('sudo');
  });

  test('asks whether a command may run where somebody is to decide', async () => {
    const result = await call(
      'shell',
      { command: 'touch made' },
      { refuseCommand: async (command) => `Refused: ${command}` },
    );
    expect(result).toMatchObject({ isError: true, output: 'Refused: touch made' });
    expect(await filesUnder(folder)).toEqual({});
  });

  test('an abort ends the command', async () => {
    const stop = new AbortController();
    const result = await call(
      'shell',
      { command: 'echo begun; sleep 30' },
      {
        signal: stop.signal,
        onOutput: () => stop.abort(),
      },
    );
    expect(result.isError).toBe(true);
    expect(result.output).toContain('aborted');
    expect(result.durationMs).toBeLessThan(20_000);
  });
});

describe('searching', () => {
  beforeEach(async () => {
    await env.writeFile('src/a.ts', 'const alpha = 1;\nconst Beta = 2;\n');
    await env.writeFile('src/b.js', 'alpha();\n');
    await env.writeFile('README.md', '# Alpha\n');
  });

  test('grep gives path:line:text', async () => {
    expect((await output('grep', { pattern: 'alpha' })).split('\n').sort()).toEqual([
      'src/a.ts:1:const alpha = 1;',
      'src/b.js:1:alpha();',
    ]);
    expect(await output('grep', { pattern: 'beta', include: '*.ts', case_insensitive: 'true' })).toBe(
      'src/a.ts:2:const Beta = 2;',
    );
  });

  test('grep says when it stopped or found nothing', async () => {
    expect(await output('grep', { pattern: 'lpha', max_results: 1 })).toMatch(/\n\[Stopped at 1 matches: /);
    expect(await output('grep', { pattern: 'gamma', path: 'src' })).toBe('No matches for gamma in src');
  });

  test('grep names what is wrong with a pattern', async () => {
    const result = await call('grep', { pattern: '(' });
    expect(result.isError).toBe(true);
    expect(result.output).toMatch(/^Tool error \(grep\): /);
    expect(result.output).toMatch(/\nTo search for the text itself, escape it: \\\($/);
  });

  test.each([
    [
      'text that is no regular expression of itself',
      'alpha();',
      'src/b.js:1:alpha();',
      'found as plain text',
    ],
    [
      'the dialect of grep(1)',
      'nowhere\\|Beta',
      'src/a.ts:2:const Beta = 2;',
      'found with the pattern syntax of grep(1)',
    ],
  ])('grep finds %s, and says so', async (_what, pattern, line, how) => {
    expect(await output('grep', { pattern })).toBe(
      `[Nothing matches the regular expression ${pattern}; ${how}:]\n${line}`,
    );
  });

  test('grep takes a backspace for the word boundary that it was written as', async () => {
    expect(await output('grep', { pattern: '\balpha\b' })).toContain('src/b.js:1:alpha();');
    expect(await output('grep', { pattern: '\balph\b' })).toBe('No matches for \\balph\\b');
  });

  test('glob gives one path a line', async () => {
    expect((await output('glob', { pattern: 'src/**/*' })).split('\n').sort()).toEqual([
      'src/a.ts',
      'src/b.js',
    ]);
    expect(await output('glob', { pattern: '*.py' })).toBe('No files match *.py');
    expect(await output('glob', { pattern: 'src/' })).toBe(
      'No files match src/; it is a directory: use src/**',
    );
  });

  test('list_directory gives entries with type and size', async () => {
    expect((await output('list_directory', {})).split('\n').sort()).toEqual(['README.md (8 bytes)', 'src/']);
    expect((await output('ls', { path: 'src', pattern: '*.ts' })).split('\n')).toEqual([
      'src/a.ts (33 bytes)',
    ]);
    expect((await call('ls', { path: 'nowhere' })).isError).toBe(true);
  });
});

describe('update_plan', () => {
  test('hands the update to the plan and answers its new state', async () => {
    const updates: PlanUpdate[] = [];
    const plan = { update: (args: PlanUpdate) => `Plan: ${updates.push(args)} update` };
    const result = await call(
      'update_plan',
      { criteria_completed: [1, 'tests pass'], decisions_made: ['Use zod'], status: 'in_progress' },
      { plan },
    );
    expect(result).toMatchObject({ output: 'Plan: 1 update', isError: false });
    expect(updates).toEqual([
      {
        criteria_completed: ['1', 'tests pass'],
        decisions_made: [{ title: 'Use zod' }],
        status: 'in_progress',
      },
    ]);
  });

  test('says that nothing was recorded where the task has no plan', async () => {
    expect(await output('update_plan', { goal: 'x' })).toBe(
      'This task has no plan document; nothing was recorded. Continue the task.',
    );
  });

  test('names what it can change when nothing was given, and what a status can be', async () => {
    expect(await output('update_plan', {})).toContain('Give one of: goal, status');
    expect(await output('update_plan', { status: 'done' })).toBe(
      'Invalid arguments for update_plan: status: expected one of planning, in_progress, blocked, completed, failed, received "done"',
    );
  });
});

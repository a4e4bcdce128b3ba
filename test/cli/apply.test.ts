import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, describe, expect, test } from '@jest/globals';
import { execa } from 'execa';
import { listNextWords } from '../../sidecar/cli/commands/completion.ts';
import { formatAnnotations } from '../../sidecar/cli/github-annotations.ts';
import { buildProgram } from '../../sidecar/cli/program.ts';
import { say } from '../support/scripted-model.ts';
import { commandLine, jsonLines, PROGRAM, repair, type CommandLine } from './command-line.ts';

let cli: CommandLine;
afterEach(() => cli?.close());

describe('apply', () => {
  /** The id of a task that repaired `a.txt` of the repository. */
  async function repaired(repo: string): Promise<string> {
    const { stdout } = await cli.run(['run', 'repair a.txt', '--repo', repo]);
    return String(jsonLines(stdout).at(-1)?.task_id);
  }
  const git = (cwd: string, ...args: string[]) => execa('git', args, { cwd });

  test('merges the commit of a task, and says so the second time', async () => {
    cli = await commandLine(repair);
    const repo = await cli.repository();
    const id = await repaired(repo);
    const merged = await cli.run(['apply', id, '--no-json'], {}, repo);
    expect(merged).toMatchObject({
      code: 0,
      stdout: expect.stringContaining(`Merged ${id} (unverified) in ${repo}\n`),
    });
    expect(await readFile(join(repo, 'a.txt'), 'utf8')).toBe('good\n');
    expect((await git(repo, 'status', '--porcelain')).stdout).toBe('');
    expect((await cli.run(['apply', 'last', '--no-json'], {}, repo)).stdout).toContain(
      'The commit of the task is already merged.',
    );
  });

  test('edits are kept: without --allow-dirty nothing is done, and a patch that conflicts changes nothing', async () => {
    cli = await commandLine(repair);
    const repo = await cli.repository();
    const id = await repaired(repo);
    await writeFile(join(repo, 'a.txt'), 'worse\n');
    const refused = await cli.run(['apply', id], {}, repo);
    expect([refused.code, refused.stderr]).toEqual([
      1,
      expect.stringMatching(/not committed:\n.*a\.txt\n.*--allow-dirty/u),
    ]);
    const conflict = await cli.run(['apply', id, '--patch', '--allow-dirty'], {}, repo);
    expect([conflict.code, conflict.stderr]).toEqual([1, expect.stringMatching(/Nothing was changed in /u)]);
    expect(await readFile(join(repo, 'a.txt'), 'utf8')).toBe('worse\n');
  });

  test('where the commit is not there, the patch goes into the files, without a commit', async () => {
    cli = await commandLine(repair);
    const repo = await cli.repository();
    const clone = join(cli.dir, 'clone');
    await git(cli.dir, 'clone', '-q', repo, clone);
    const id = await repaired(repo);
    const applied = await cli.run(['apply', id, '--json'], {}, clone);
    expect(JSON.parse(applied.stdout)).toMatchObject({ task_id: id, how: 'patch', repository: clone });
    expect((await git(clone, 'status', '--porcelain')).stdout).toBe('M  a.txt');
    expect(await readFile(join(clone, 'a.txt'), 'utf8')).toBe('good\n');
  });
});

describe('completion', () => {
  const next = (...words: string[]) => listNextWords(buildProgram(), words);

  test('offers commands, their options, and the choices of an option', () => {
    expect(next()).toEqual(expect.arrayContaining(['run', 'show', 'apply', 'workers', '--version']));
    expect(next('workers')).toEqual(expect.arrayContaining(['list', 'drain', 'resume', '--watch']));
    expect(next('run', 'a task', '--repo', '.')).toEqual(expect.arrayContaining(['--verify', '--model']));
    expect(next('run', '--sandbox')).toEqual(['auto', 'required', 'off']);
    expect(next('run', '--repo')).toEqual([]);
    expect(next('completion')).toEqual(expect.arrayContaining(['bash', 'zsh', 'fish']));
  });

  test('bash completes with the script', async () => {
    cli = await commandLine();
    const script = `ollama-sidecar() { ${PROGRAM} "$@"; }; eval "$(ollama-sidecar completion bash)"
      COMP_WORDS=(ollama-sidecar wo); COMP_CWORD=1; _ollama_sidecar; echo "\${COMPREPLY[*]}"
      COMP_WORDS=(ollama-sidecar run --sandbox re); COMP_CWORD=3; _ollama_sidecar; echo "\${COMPREPLY[*]}"`;
    const { stdout } = await execa('bash', ['--norc', '-c', script], { env: cli.env });
    expect(stdout.split('\n')).toEqual(['workers', 'required']);
  });
});

describe('annotations', () => {
  test('a run says for a workflow what failed, and text of the task cannot make a command', async () => {
    const [read, edit] = repair.turns ?? [];
    cli = await commandLine({
      turns: [...(read && edit ? [read, edit] : []), say('Done.\n::set-output name=x::y')],
    });
    const repo = await cli.repository();
    const checks = ['--verify', 'grep good a.txt', '--verify', 'echo oh no, bad; false'];
    const args = ['run', 'repair a.txt', '--repo', repo, ...checks, '--output', 'github'];
    const { code, stdout } = await cli.run(args);
    expect(code).toBe(3);
    const commands = stdout.split('\n').filter((line) => line.startsWith('::'));
    expect(commands[0]).toMatch(/^::error title=partial \(partial_pass\)::Done\.%0A::set-output name=x::y$/u);
    expect(commands[1]).toMatch(/^::error title=.*echo oh no%2C bad; false.*::oh no, bad/u);
    expect(commands.every((line) => /^::(error|warning|notice) /u.test(line))).toBe(true);
  });

  test('a failing test stands at its place', () => {
    const text =
      'node:test: 1 failed, 1 passed\nFAIL sums > adds (test/sum.test.js:12)\n  expected 3\nERROR src/a.ts:4: no such name';
    const essence = { runner: 'node:test', failed: ['adds'], errors: [], text };
    const check = {
      type: 'test_passes',
      target: 'npm test',
      description: '',
      status: 'fail',
      output: '',
      duration_ms: 1,
      essence,
    };
    const counts = { total: 1, passed: 0, failed: 1, errors: 0, timed_out: 0 };
    const result = {
      status: 'partial',
      verification_status: 'partial_pass',
      verification_attempts: 1,
      verification_report: {
        task_id: 't',
        run_number: 1,
        status: 'fail',
        started_at: '',
        duration_ms: 1,
        timeout_ms: 1,
        checks: [check],
        summary: counts,
      },
      output: 'Half.',
      completed: [],
      remaining: ['npm test'],
      model_used: 'm',
      iterations_used: 1,
      tokens_in: 1,
      tokens_out: 1,
      estimated_cost_usd: 0,
      execution_ms: 1,
      termination_reason: 'final_answer',
      changes: { files: [], patch: '' },
    };
    const task = { task_id: 't', title: 't', status: 'partial', created_at: 1, result };
    expect(formatAnnotations(task)).toEqual([
      '::error title=partial (partial_pass)::Half.',
      '::error file=test/sum.test.js,line=12,title=npm test%3A FAIL sums > adds (test/sum.test.js%3A12)::expected 3',
      '::error file=src/a.ts,line=4,title=npm test%3A ERROR src/a.ts%3A4%3A no such name::ERROR src/a.ts:4: no such name',
      '::warning title=remains::npm test',
    ]);
  });
});

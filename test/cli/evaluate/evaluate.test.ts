import { existsSync, readFileSync } from 'node:fs';
import { readdir, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { afterEach, describe, expect, test } from '@jest/globals';
import type { RunRecord } from '../../../sidecar/cli/evaluate/record.ts';
import type { ModelSummary } from '../../../sidecar/cli/evaluate/summary.ts';
import type { ScenarioInput } from '../../../sidecar/model/scripted/scenario.ts';
import { commandLine, endless, jsonLines, type CommandLine } from '../command-line.ts';
import { call, say } from '../../support/scripted-model.ts';

const SUITE = resolve('test/cli/evaluate/fixtures/suite');

let cli: CommandLine;
afterEach(() => cli.close());

const repairWith = (sign: string) => [
  call('read_file', { file_path: 'add.js' }),
  call('edit_file', { file_path: 'add.js', old_string: 'a * b', new_string: sign }),
  say('Repaired.'),
];

/** Solves the question; `turns` are for the other task. */
const answering = (turns: ScenarioInput['turns'], answer = 'It listens on port 8123.'): ScenarioInput => ({
  scripts: [{ when: { contains: 'On which port' }, turns: [say(answer)] }],
  turns,
});

interface Result {
  settings: object;
  summaries: ModelSummary[];
  records: RunRecord[];
  comparisons?: { solved: { difference: { mean: number } } }[];
}
const resultIn = (dir: string): Result =>
  JSON.parse(readFileSync(join(dir, 'result.json'), 'utf8')) as Result;

const evaluationIn = (dir: string, ...more: string[]): string[] =>
  ['dev', 'evaluate', SUITE, '--output', dir].concat(more);
const evaluation = (...more: string[]): string[] => evaluationIn(join(cli.dir, 'out'), ...more);

describe('evaluate', () => {
  test('runs of two models of one task, at once, do not meet in one folder', async () => {
    cli = await commandLine({ models: [{ name: 'm' }, { name: 'n' }], ...answering(repairWith('a + b')) });
    const { code, stderr } = await cli.run(
      evaluation('--runs', '1', '--model', 'm', '--model', 'n', '--only', 'js-*', '--concurrency', '2'),
    );
    expect({ code, stderr }).toMatchObject({ code: 0 });
    const { records } = resultIn(join(cli.dir, 'out'));
    expect(records.map(({ model, solved }) => ({ model, solved }))).toEqual(
      expect.arrayContaining([
        { model: 'm', solved: true },
        { model: 'n', solved: true },
      ]),
    );
  });

  test('runs each task through the worker and judges what it left by the hidden checks', async () => {
    cli = await commandLine(answering(repairWith('a + b')));
    const { code, stdout, stderr } = await cli.run(evaluation('--runs', '2', '--model', 'm'));
    expect({ code, stderr }).toMatchObject({ code: 0 });
    expect(stdout).toMatch(/^\[1\/4\] js-add run 1: solved, .* tokens, 3 calls; .* left$/mu);
    expect(stdout).toMatch(/^\| solved in each run \| 100 %, 100 % \|$/mu);
    const { records, summaries } = resultIn(join(cli.dir, 'out'));
    expect(records.map(({ task, run }) => `${task} ${run}`)).toEqual([
      'js-add 1',
      'question-port 1',
      'js-add 2',
      'question-port 2',
    ]);
    expect(records[0]).toMatchObject({
      model: 'm',
      strategy: 'default',
      solved: true,
      claimed: 'success',
      falseSuccess: false,
      changed: true,
      calls: 3,
      malformed: 0,
      termination: 'final_answer',
      verification: 'verified',
      checks: { passed: 1, total: 1 },
      why: '',
    });
    expect(records[0]?.tokensIn).toBeGreaterThan(100);
    expect(existsSync(join(cli.dir, 'out', records[0]?.session ?? 'none', 'requests.jsonl'))).toBe(true);
    expect(summaries[0]).toMatchObject({ model: 'm', tasks: 2, records: 4, solved: { mean: 1 } });
    expect(await readdir(join(cli.dir, 'out/work'))).toEqual([]);
    expect(jsonLines(readFileSync(join(cli.dir, 'out/answers.jsonl'), 'utf8'))).toContainEqual({
      model: 'm',
      task: 'question-port',
      run: 2,
      tree: expect.stringMatching(/^[0-9a-f]{40}$/u),
      form: expect.any(String),
      prompt: expect.stringContaining('On which port'),
      answer: 'It listens on port 8123.',
    });
  });

  test('a claim that the hidden checks refuse is a false success, with the first thing that went wrong', async () => {
    cli = await commandLine(answering(repairWith('5'), 'Port 9000, I think.'));
    await cli.run(evaluation('--runs', '1', '--model', 'm'));
    const { records, summaries } = resultIn(join(cli.dir, 'out'));
    expect(records).toMatchObject([
      { task: 'js-add', solved: false, falseSuccess: true, verification: 'verified', changed: true },
      { task: 'question-port', solved: false, falseSuccess: true, changed: false },
    ]);
    expect(records[0]?.why).toContain('adds others too');
    expect(records[1]?.why).toBe('answer does not match: Port 9000, I think.');
    expect(summaries[0]).toMatchObject({ solved: { mean: 0 }, falseSuccess: { mean: 1 } });
  });

  test('compares with an earlier result, pair by pair', async () => {
    cli = await commandLine(answering(repairWith('a + b'), 'I do not know.'));
    const [one, two] = [join(cli.dir, 'one'), join(cli.dir, 'two')];
    await cli.run(evaluationIn(one, '--model', 'm', '--runs', '1'));
    const { stdout } = await cli.run(evaluationIn(two, '--model', 'm', '--runs', '1', '--compare', one));
    expect(stdout).toMatch(
      /^\| m against the earlier evaluation, 2 tasks in common \| solved \| 0\.0 points .*may be noise \|$/mu,
    );
    expect(resultIn(two).comparisons).toMatchObject([{ solved: { difference: { mean: 0 } } }]);
  });

  test('Ctrl-C keeps what is done, --continue does only the rest', async () => {
    const stuck = { scripts: [{ when: { contains: 'On which port' }, turns: endless.turns! }] };
    cli = await commandLine({ ...stuck, turns: repairWith('a + b') });
    const running = cli.start(evaluation('--runs', '1', '--model', 'm'));
    await running.until(/^\[1\/2\]/mu);
    running.kill('SIGINT');
    const stopped = await running.ended;
    expect(stopped.code).toBe(130);
    expect(resultIn(join(cli.dir, 'out')).records).toMatchObject([{ task: 'js-add', solved: true }]);
    const asked = cli.model.requests.length;
    const again = ['dev', 'evaluate', '--continue', '--output', join(cli.dir, 'out'), '--only', 'js-*'];
    expect((await cli.run(again)).code).toBe(0);
    const chats = cli.model.requests.slice(asked).filter(({ path }) => path === '/api/chat');
    expect(chats).toEqual([]);
  });

  test('--continue runs a record again that was cut off in writing, and keeps to the tasks that it began with', async () => {
    cli = await commandLine(answering(repairWith('a + b')));
    await cli.run(evaluation('--runs', '1', '--model', 'm', '--only', 'question-*'));
    const file = join(cli.dir, 'out/records.jsonl');
    await writeFile(file, readFileSync(file, 'utf8').slice(0, -100));
    const again = ['dev', 'evaluate', '--continue', '--output', join(cli.dir, 'out'), '--json'];
    const { code, stdout } = await cli.run(again);
    expect(code).toBe(0);
    expect(jsonLines(stdout)[0]).toMatchObject({ task: 'question-port' });
    expect(resultIn(join(cli.dir, 'out')).records).toMatchObject([{ task: 'question-port' }]);
  });

  test('what is wrong is said before anything is run', async () => {
    cli = await commandLine();
    const wrong = (...args: string[]) => cli.run(['dev', 'evaluate', ...args]);
    expect(await wrong(join(cli.dir, 'none'), '--model', 'm')).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(/cannot be read as a suite of tasks/u),
    });
    expect(await wrong(SUITE, '--model', 'missing', '--output', join(cli.dir, 'a'))).toMatchObject({
      code: 7,
      stderr: expect.stringContaining('missing'),
    });
    expect(await wrong(SUITE, '--model', 'm', '--set', 'ollama.nothing=1')).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(/unknown key ollama\.nothing \(flag --set ollama\.nothing\)/u),
    });
    expect(await wrong(SUITE, '--model', 'm', '--only', 'nothing-*')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('No task of'),
    });
  });

  test('a variant is measured with its settings, written into the profile, and reported', async () => {
    cli = await commandLine(answering(repairWith('a + b')));
    const set = ['--set', 'solving.drafts=3', '--set', 'model.toolMode=text', '--strategy', 'loop'];
    const { code, stdout } = await cli.run(
      evaluation('--runs', '1', '--model', 'm', '--only', 'js-*', ...set, '--write-profile'),
    );
    expect(code).toBe(0);
    expect(stdout).toMatch(/m: wrote solving\.strategy = loop, toolMode = text, solving\.drafts = 3 into/u);
    const chats = cli.model.requests.filter(({ path }) => path === '/api/chat');
    expect(chats.some(({ body }) => 'tools' in (body as object))).toBe(false);
    const profile = readFileSync(join(cli.dir, '.config/ollama-sidecar/models.json'), 'utf8');
    expect(JSON.parse(profile)).toEqual({
      models: { m: { solving: { strategy: 'loop', drafts: 3 }, toolMode: 'text' } },
    });
    expect(readFileSync(join(cli.dir, 'out/report.md'), 'utf8')).toContain('Evaluation of m');
  });
});

import { mkdir, readFile, watch } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, describe, expect, test } from '@jest/globals';
import { execa } from 'execa';
import type { ScenarioInput } from '../../sidecar/model/scripted/scenario.ts';
import { commandLine, endless, type CommandLine } from '../cli/command-line.ts';
import { call, say } from '../support/scripted-model.ts';
import { executeJob, executeStep, prepareRunner, readJob, type JobRun } from './documented-job.ts';

const VERIFY = 'grep -q good a.txt && grep -q done b.txt';
const half = [
  call('edit_file', { file_path: 'a.txt', old_string: 'bad', new_string: 'good' }),
  // The worker asks for corrections twice; this model insists.
  ...['Half done.', 'That is all.', 'Nothing else.'].map(say),
];
const isFollowUp = { firstUser: 'left unfinished' };

/** Leaves the second file to the follow-up. */
const inTwoTries: ScenarioInput = {
  scripts: [
    {
      name: 'rest',
      when: isFollowUp,
      turns: [call('write_file', { file_path: 'b.txt', content: 'done\n' }), say('All done.')],
    },
    { name: 'half', turns: half },
  ],
};
/** Changes something each time and never what was asked for. */
const never: ScenarioInput = {
  scripts: [
    {
      name: 'beside the point',
      when: isFollowUp,
      turns: [call('shell', { command: 'echo again >> notes.txt' }), ...['1', '2', '3'].map(say)],
    },
    { name: 'half', turns: half },
  ],
};

let cli: CommandLine;
afterEach(() => cli.close());

/** A hub with a worker, a repository with the branch `feature`, and a runner for its job. */
async function setUp(scenario: ScenarioInput): Promise<JobRun> {
  cli = await commandLine(scenario);
  const origin = await cli.repository('a repository');
  await execa('git', ['branch', 'feature'], { cwd: origin });
  const up = cli.start(['up', '--json']);
  const { url } = JSON.parse(await up.until(/\n/u)) as { url: string };
  const dir = join(cli.dir, 'runner');
  await mkdir(dir);
  const token = await readFile(join(cli.stateDir, 'hub-admin.token'), 'utf8');
  return {
    dir,
    origin,
    branch: 'feature',
    expressions: {
      'vars.SIDECAR_HUB_API': url,
      'secrets.SIDECAR_HUB_API_TOKEN': token.trim(),
      'github.event.repository.clone_url': origin,
      'github.head_ref': 'feature',
      'github.repository': 'owner/name',
      'github.run_id': '17',
      'github.event.pull_request.title': 'Make a.txt "good" & write b.txt; $(touch nothing)',
    },
    env: { VERIFY },
  };
}

const onBranch = async (origin: string, ...files: string[]) =>
  Promise.all(
    files.map(async (file) => (await execa('git', ['show', `feature:${file}`], { cwd: origin })).stdout),
  );

describe('the job of docs/CI.md', () => {
  test('goes on from a partial result until it is verified, and puts the work on the branch', async () => {
    const run = await setUp(inTwoTries);
    const end = await executeJob(await readJob(), run);
    expect(end).toMatchObject({ ok: true });
    expect(end.log).toContain('Try 1 ended with exit code 3.');
    expect(end.log).toContain('Try 2 ended with exit code 0.');
    expect(end.log).toContain('The work is verified.');
    expect(end.log).not.toContain(run.expressions['secrets.SIDECAR_HUB_API_TOKEN']);
    expect(await onBranch(run.origin, 'a.txt', 'b.txt')).toEqual(['good', 'done']);
  });

  test('takes the patch of all tries where the worker did not push its branch; a title is no option', async () => {
    const title = '--file=task.json';
    const set = await setUp(inTwoTries);
    const run = { ...set, expressions: { ...set.expressions, 'github.event.pull_request.title': title } };
    const before: JobRun['before'] = async ({ name }) => {
      if (name !== 'Take the work') return;
      const { stdout } = await execa('git', ['branch', '--format=%(refname:short)', '--list', 'sidecar/*'], {
        cwd: run.origin,
      });
      await execa('git', ['branch', '-q', '-D', ...stdout.split('\n')], { cwd: run.origin });
    };
    const end = await executeJob(await readJob(), { ...run, before });
    expect(end).toMatchObject({ ok: true });
    expect(end.log).toContain('taking the patch.');
    expect(await onBranch(run.origin, 'a.txt', 'b.txt')).toEqual(['good', 'done']);
    const { stdout } = await execa('git', ['log', '-1', '--format=%s', 'feature'], { cwd: run.origin });
    expect(stdout).toBe(title);
  });

  test('fails when the tries run out, says what remains, and leaves the branch alone', async () => {
    const run = await setUp(never);
    const end = await executeJob(await readJob(), { ...run, env: { VERIFY, TRIES: '2' } });
    expect(end).toMatchObject({ ok: false, failedStep: 'Fail unless the checks passed' });
    expect(end.log).toContain('Try 2 ended with exit code 3.');
    expect(end.log).not.toContain('Try 3');
    expect(end.log).toMatch(/The work is failed\.\nremains: grep/u);
    expect(await onBranch(run.origin, 'a.txt')).toEqual(['bad']);
  });

  test('run again it follows the task of the first run and submits no second one', async () => {
    const run = await setUp(inTwoTries);
    const job = await readJob();
    const env = await prepareRunner(job.env, run);
    await mkdir(join(run.dir, 'work'));
    const submit = job.steps.find((step) => step.run)?.run ?? '';
    for (let attempt = 0; attempt < 2; attempt += 1) {
      expect((await executeStep(submit, run, env)).all).toContain('Try 1 ended with exit code 3.');
    }
    expect(JSON.parse((await cli.run(['tasks', '--json'])).stdout)).toHaveLength(1);
  });

  test('fails at once with the exit code of a hub that is not there', async () => {
    const run = await setUp(inTwoTries);
    const expressions = { ...run.expressions, 'vars.SIDECAR_HUB_API': 'http://127.0.0.1:1' };
    const end = await executeJob(await readJob(), { ...run, expressions });
    expect(end).toMatchObject({ ok: false, failedStep: 'Submit the task and wait for its end' });
    expect(end.log).toContain('Try 1 ended with exit code 5.');
  });

  test('cancels its task when the job is cancelled', async () => {
    const run = await setUp(endless);
    const job = await readJob();
    const env = await prepareRunner(job.env, run);
    await mkdir(join(run.dir, 'work'));
    const [submit, cancel] = [job.steps.find((step) => step.run), job.steps.at(-1)];
    const submitted = executeStep(submit?.run ?? '', run, env);
    await untilWritten(env.RUNNER_TEMP ?? '', 'try-1.jsonl');
    const { exitCode } = await executeStep(cancel?.run ?? '', run, env);
    expect([cancel?.if, exitCode]).toEqual(['cancelled()', 0]);
    expect((await submitted).exitCode).toBe(1);
  });
});

/** Resolves once the file in `dir` holds something. */
async function untilWritten(dir: string, name: string): Promise<void> {
  const controller = new AbortController();
  const changes = watch(dir, { signal: controller.signal });
  const isThere = () =>
    readFile(join(dir, name)).then(
      ({ length }) => length > 0,
      () => false,
    );
  try {
    if (await isThere()) return;
    for await (const _change of changes) if (await isThere()) return;
  } finally {
    controller.abort();
  }
}

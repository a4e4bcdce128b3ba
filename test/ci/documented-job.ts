/**
 * The job in config/ci-job.yml as a runner executes it: expressions in `env` get their values, `uses` is a clone, each `run` is a
 * bash script with GitHub's flags, and the first step that fails ends the job.
 */
import { randomUUID } from 'node:crypto';
import { mkdir, readFile, symlink, writeFile, chmod } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { execa } from 'execa';
import { parse } from 'yaml';
import * as z from 'zod';

const stepSchema = z.strictObject({
  name: z.string().optional(),
  uses: z.string().optional(),
  with: z.record(z.string(), z.unknown()).optional(),
  run: z.string().optional(),
  if: z.string().optional(),
});
const workflowSchema = z.object({
  jobs: z.object({
    agent: z.object({
      defaults: z.object({ run: z.object({ shell: z.literal('bash') }) }),
      env: z.record(z.string(), z.string()),
      steps: z.array(stepSchema),
    }),
  }),
});
export type Step = z.output<typeof stepSchema>;

export interface DocumentedJob {
  env: Record<string, string>;
  steps: Step[];
}

/** Reads the job of docs/CI.md. */
export async function readJob(): Promise<DocumentedJob> {
  return workflowSchema.parse(parse(await readFile('config/ci-job.yml', 'utf8'))).jobs.agent;
}

export interface JobRun {
  /** Folder of the runner; the clone is `work` in it, `RUNNER_TEMP` is `temp`. */
  dir: string;
  /** Repository that `actions/checkout` clones, and the branch. */
  origin: string;
  branch: string;
  /** Values of the expressions, and settings of the test that stand above the file's. */
  expressions: Record<string, string>;
  env: Record<string, string>;
  /** Called before each step. */
  before?: (step: Step) => Promise<void>;
}

export interface JobEnd {
  ok: boolean;
  failedStep?: string;
  log: string;
}

/** Executes the steps in order, as long as none fails. */
export async function executeJob({ env, steps }: DocumentedJob, run: JobRun): Promise<JobEnd> {
  const environment = await prepareRunner(env, run);
  let log = '';
  for (const step of steps.filter((one) => one.if === undefined)) {
    await run.before?.(step);
    const done = step.run
      ? await executeStep(step.run, run, environment)
      : await execa('git', ['clone', '-q', '-b', run.branch, run.origin, join(run.dir, 'work')], {
          reject: false,
          all: true,
        });
    log += `# ${step.name ?? step.uses}\n${done.all}\n`;
    if (done.exitCode !== 0) return { ok: false, failedStep: step.name, log };
  }
  return { ok: true, log };
}

/** One script, with the flags that GitHub gives to `shell: bash`. */
export async function executeStep(script: string, { dir }: JobRun, env: Record<string, string>) {
  const file = join(dir, `step-${randomUUID()}.sh`);
  await writeFile(file, script);
  return execa('bash', ['--noprofile', '--norc', '-eo', 'pipefail', file], {
    cwd: join(dir, 'work'),
    env,
    extendEnv: false,
    reject: false,
    all: true,
    timeout: 60_000,
  });
}

/** The environment of the steps; the command is found on the path as it is after an installation. */
export async function prepareRunner(env: DocumentedJob['env'], run: JobRun): Promise<Record<string, string>> {
  const bin = join(run.dir, 'bin');
  await mkdir(bin, { recursive: true });
  await mkdir(join(run.dir, 'temp'));
  await chmod(resolve('dist/cli.js'), 0o755);
  await symlink(resolve('dist/cli.js'), join(bin, 'ollama-sidecar'));
  const values = Object.entries(env).map(([name, text]) => [
    name,
    text.replace(/\$\{\{ *(\S+) *\}\}/gu, (_all, expression: string) => {
      const value = run.expressions[expression];
      if (value === undefined) throw new Error(`The test has no value for ${expression}`);
      return value;
    }),
  ]);
  return {
    PATH: `${bin}:${process.env.PATH ?? ''}`,
    HOME: run.dir,
    RUNNER_TEMP: join(run.dir, 'temp'),
    ...(Object.fromEntries(values) as Record<string, string>),
    ...run.env,
  };
}

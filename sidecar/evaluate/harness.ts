/**
 * Another program on the same tasks: it is started in a checkout of the task's repository and told by its environment what
 * is to be done. What it leaves in that folder is judged by the same hidden checks; its exit code is what it claims.
 */
import { spawn } from 'node:child_process';
import { cp, mkdir, readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { JudgeOptions } from './judge.ts';
import type { RunRecord } from './record.ts';
import { startRecordingProxy, type RecordingProxy } from './recording-proxy.ts';
import type { PlannedRun } from './run-task.ts';
import { createTaskRepository, inWorkFolder, isChanged, pathPart } from './trees.ts';
import { judge } from './verdict.ts';

interface HarnessOptions {
  /** A shell's command line. */
  command: string;
  /** Base address of the Ollama server. */
  ollamaUrl: string;
  output: string;
  timeoutMs: number;
  judging: JudgeOptions;
  signal: AbortSignal;
}

const KILL_AFTER_MS = 5_000;
const MAX_OUTPUT_CHARS = 1024 * 1024;

/** Makes one run; undefined when it was stopped. Rejects when the repository or git fail. */
export async function runHarness(
  planned: PlannedRun,
  options: HarnessOptions,
): Promise<RunRecord | undefined> {
  const proxy = await startRecordingProxy(options.ollamaUrl);
  const attempt = (work: string) => runIn(work, planned, { ...options, proxy });
  try {
    return await inWorkFolder(planned, options.output, attempt);
  } finally {
    await proxy.close();
  }
}

type Attempt = HarnessOptions & { proxy: RecordingProxy };

async function runIn(work: string, planned: PlannedRun, options: Attempt): Promise<RunRecord | undefined> {
  const { task, run, model } = planned;
  const dir = join(work, 'repository');
  await createTaskRepository(task, dir);
  const startMs = Date.now();
  const ended = await start(planned, { dir, work, options });
  if (options.signal.aborted) return undefined;
  const seconds = Math.round((Date.now() - startMs) / 100) / 10;
  const log = await keepOutput(planned, ended.output, options.output);
  const finished = await copyOfWork(planned, dir, join(work, 'finished'));
  const changed = await isChanged(finished);
  const claimed = ended.termination === 'exit 0' ? ('success' as const) : ('failed' as const);
  const verdict = await judge(
    task,
    { dir: finished, changed, claimed, output: ended.output },
    options.judging,
  );
  const { stretches, ...counted } = options.proxy.totals;
  return {
    task: task.id,
    kind: task.kind,
    language: task.language,
    run,
    model,
    strategy: 'harness',
    at: new Date(startMs).toISOString(),
    ...verdict,
    claimed,
    changed,
    seconds,
    ...counted,
    malformed: 0,
    termination: ended.termination,
    verification: 'unverified',
    checks: { passed: 0, total: 0 },
    session: log,
    timeline: stretches,
  };
}

interface Starting {
  dir: string;
  work: string;
  options: Attempt;
}

async function start(
  { task, run, model }: PlannedRun,
  { dir, work, options }: Starting,
): Promise<{ termination: string; output: string }> {
  const promptFile = join(work, 'prompt.txt');
  await writeFile(promptFile, task.prompt);
  const env = {
    ...process.env,
    EVAL_PROMPT_FILE: promptFile,
    EVAL_DIR: dir,
    EVAL_MODEL: model,
    EVAL_TASK: task.id,
    EVAL_RUN: String(run),
    EVAL_CHECKS: task.check.join('\n'),
    EVAL_TIMEOUT_SECONDS: String(options.timeoutMs / 1000),
    OLLAMA_HOST: options.proxy.url,
  };
  // A group of its own, so that what it started ends with it.
  const child = spawn('/bin/sh', ['-c', options.command], {
    cwd: dir,
    env,
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  const keep = (text: string): void => void (output = (output + text).slice(-MAX_OUTPUT_CHARS));
  child.stdout.setEncoding('utf8').on('data', keep);
  child.stderr.setEncoding('utf8').on('data', keep);
  const stop = endGroupAfter(child.pid, options);
  const termination = await new Promise<string>((resolve) => {
    child.once('error', (error) => resolve(`not started: ${error.message}`));
    child.once('exit', (code, signal) => resolve(code === null ? `ended by ${signal}` : `exit ${code}`));
  });
  const late = stop();
  return { termination: late ? 'timeout' : termination, output };
}

/** Ends the program's group at its time limit or when the evaluation is stopped, and what is left of it at its end. */
function endGroupAfter(pid: number | undefined, { timeoutMs, signal }: HarnessOptions): () => boolean {
  let isLate = false;
  const kill = (how: NodeJS.Signals): void => {
    try {
      if (pid !== undefined) process.kill(-pid, how);
    } catch {
      // The group is gone.
    }
  };
  let hard: NodeJS.Timeout | undefined;
  const end = (): void => {
    kill('SIGTERM');
    hard = setTimeout(() => kill('SIGKILL'), KILL_AFTER_MS);
  };
  const timer = setTimeout(() => {
    isLate = true;
    end();
  }, timeoutMs);
  signal.addEventListener('abort', end, { once: true });
  return () => {
    clearTimeout(timer);
    clearTimeout(hard);
    signal.removeEventListener('abort', end);
    kill('SIGKILL');
    return isLate;
  };
}

/** The files that it left over the task's own history, whatever it did to `.git`. */
async function copyOfWork({ task }: PlannedRun, dir: string, finished: string): Promise<string> {
  await createTaskRepository(task, finished);
  for (const name of await readdir(finished)) {
    if (name !== '.git') await rm(join(finished, name), { recursive: true, force: true });
  }
  for (const name of await readdir(dir)) {
    if (name !== '.git')
      await cp(join(dir, name), join(finished, name), { recursive: true, verbatimSymlinks: true });
  }
  return finished;
}

/** Its output, as the run's session; relative to the evaluation's folder. */
async function keepOutput({ task, run, model }: PlannedRun, text: string, output: string): Promise<string> {
  const folder = join('harness', pathPart(model), `${task.id}-${run}`);
  await mkdir(join(output, folder), { recursive: true });
  await writeFile(join(output, folder, 'output.log'), text);
  return folder;
}

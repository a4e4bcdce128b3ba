/** A temporary workspace with an environment on it; all of it is gone after the test. */
import { mkdir, mkdtemp, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { EnvironmentError } from '../../sidecar/workspace/files/environment-error.ts';
import {
  LocalExecutionEnvironment,
  type LocalExecutionEnvironmentOptions,
} from '../../sidecar/workspace/local-environment.ts';

export interface Fixture {
  /** Real path of a folder with `workspace` in it and room for what lies outside. */
  base: string;
  workspace: string;
  env: LocalExecutionEnvironment;
  /** Writes a file below `base`, with its parents. */
  put: (path: string, content: string | Buffer) => Promise<string>;
}

export async function withWorkspace(
  options: Partial<LocalExecutionEnvironmentOptions>,
  run: (fixture: Fixture) => Promise<void>,
): Promise<void> {
  const base = await realpath(await mkdtemp(join(tmpdir(), 'environment-test-')));
  const workspace = join(base, 'workspace');
  await mkdir(workspace);
  const env = new LocalExecutionEnvironment({ sandbox: 'off', ...options, workspace });
  const put = async (path: string, content: string | Buffer) => {
    const target = join(base, path);
    await mkdir(dirname(target), { recursive: true });
    await writeFile(target, content);
    return target;
  };
  try {
    await run({ base, workspace, env, put });
  } finally {
    await env.cleanup();
    await rm(base, { recursive: true, force: true });
  }
}

/** The code that a promise is refused with; undefined when it is not refused. */
export async function refusal(promise: Promise<unknown>): Promise<string | undefined> {
  return await promise.then(
    () => undefined,
    (error: unknown) =>
      error instanceof EnvironmentError ? error.code : `not an EnvironmentError: ${String(error)}`,
  );
}

/** How many of so many fast commands, four at a time, give back all that they print. */
export async function completeOutputs({ env, put }: Fixture, runs: number): Promise<number> {
  const content = 'line of text\n'.repeat(158);
  await put('workspace/file.txt', content);
  let complete = 0;
  for (let run = 0; run < runs; run += 4) {
    const results = await Promise.all([0, 1, 2, 3].map(() => env.execCommand('cat file.txt')));
    complete += results.filter(({ stdout }) => stdout === content).length;
  }
  return complete;
}

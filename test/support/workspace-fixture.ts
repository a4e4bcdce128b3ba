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

type Options = Partial<LocalExecutionEnvironmentOptions>;

/** Runs a test with a workspace; `options` may depend on its folders. */
export async function withWorkspace(
  options: Options | ((folders: { base: string; workspace: string }) => Options),
  run: (fixture: Fixture) => Promise<void>,
): Promise<void> {
  const base = await realpath(await mkdtemp(join(tmpdir(), 'environment-test-')));
  const workspace = join(base, 'workspace');
  await mkdir(workspace);
  const given = typeof options === 'function' ? options({ base, workspace }) : options;
  const env = new LocalExecutionEnvironment({ sandbox: 'off', ...given, workspace });
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

/**
 * A command of the command line in this process: nothing is started and nothing compiled again. It sees an environment
 * and a folder of its own, its output is kept, and what it left in the process is put back. One runs at a time.
 */
import { join } from 'node:path';
import { runCommandLine } from '../../sidecar/cli/command-line.ts';
import type { Finished } from './command-line.ts';

let last: Promise<unknown> = Promise.resolve();

/** Runs `args` in the folder `cwd`, which also stands for the home folder, with nothing but `env` in its environment. */
export function runInProcess(args: string[], env: Record<string, string>, cwd: string): Promise<Finished> {
  const run = last.then(() => runAlone(args, env, cwd));
  last = run.catch(() => undefined);
  return run;
}

async function runAlone(args: string[], env: Record<string, string>, cwd: string): Promise<Finished> {
  const before = { env: { ...process.env }, cwd: process.cwd() };
  const out = capture(process.stdout);
  const err = capture(process.stderr);
  // Node takes the home folder from the environment that this process was started with.
  setEnvironment({
    XDG_CONFIG_HOME: join(cwd, '.config'),
    XDG_DATA_HOME: join(cwd, '.local/share'),
    ...env,
  });
  process.chdir(cwd);
  try {
    // The first time these are read takes seconds, longer than the command waits for its model server meanwhile.
    if (['run', 'demo'].includes(args[0] ?? ''))
      await Promise.all([import('../../sidecar/hub/hub.ts'), import('../../sidecar/worker/start-worker.ts')]);
    await runCommandLine(['node', 'ollama-sidecar', ...args]);
    return { code: Number(process.exitCode ?? 0), stdout: out.text(), stderr: err.text() };
  } finally {
    process.exitCode = undefined;
    process.chdir(before.cwd);
    setEnvironment(before.env);
    err.end();
    out.end();
  }
}

function setEnvironment(env: NodeJS.ProcessEnv): void {
  for (const name of Object.keys(process.env)) delete process.env[name];
  Object.assign(process.env, env);
}

/** Keeps what is written to a stream, which is no terminal meanwhile, and takes listeners away that are added to it. */
function capture(stream: NodeJS.WriteStream): { text: () => string; end: () => void } {
  const { isTTY } = stream;
  const write = stream.write.bind(stream);
  const listeners = stream.listeners('error') as (() => void)[];
  let text = '';
  stream.isTTY = false;
  stream.write = (chunk: string | Uint8Array) => {
    text += String(chunk);
    return true;
  };
  return {
    text: () => text,
    end: () => {
      Object.assign(stream, { write, isTTY });
      for (const one of stream.listeners('error') as (() => void)[])
        if (!listeners.includes(one)) stream.off('error', one);
    },
  };
}

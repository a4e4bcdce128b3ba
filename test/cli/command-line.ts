/**
 * The built command line as real processes, each test with a home folder, a state folder and a scripted model server of
 * its own. What a test started is ended and removed after it.
 */
import { spawn, type ChildProcess } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import type { Readable } from 'node:stream';
import { join, resolve } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { execa } from 'execa';
import { CleanupStack } from '../../sidecar/base/system/cleanup-stack.ts';
import type { ScenarioInput } from '../../sidecar/model/scripted/scenario.ts';
import { startScriptedModel, type ScriptedModelServer } from '../../sidecar/model/scripted/server.ts';
import { freePort } from '../support/free-port.ts';
import { loopAloneEnv } from '../support/loop-alone.ts';
import { sampleRepository } from '../support/sample-repository.ts';
import { call, say } from '../support/scripted-model.ts';
import { runInProcess } from './in-process.ts';

const CLI = resolve('dist/cli.js');
/** The start of a shell's command. */
export const PROGRAM = `${process.execPath} ${CLI}`;
/** A command that takes longer hangs. */
const TIMEOUT_MS = 25_000;

export interface Finished {
  code: number | null;
  stdout: string;
  stderr: string;
}

export interface Started {
  child: ChildProcess;
  stdout: () => string;
  stderr: () => string;
  /** Resolves with stdout once it matches; rejects when the command ends before. */
  until: (pattern: RegExp) => Promise<string>;
  /** The same for stderr. */
  untilNote: (pattern: RegExp) => Promise<string>;
  ended: Promise<Finished>;
  kill: (signal: NodeJS.Signals) => void;
}

export interface InTerminal {
  /** What the terminal has shown. */
  shown: () => string;
  press: (keys: string) => void;
  /** The exit code of the shell. */
  ended: Promise<number | null>;
}

export interface CommandLine {
  dir: string;
  stateDir: string;
  /** What its commands have in their environment. */
  env: Readonly<Record<string, string>>;
  /** Port for a hub, free a moment ago. */
  port: number;
  model: ScriptedModelServer;
  /** Runs a command to its end, in this process. */
  run: (args: string[], env?: Record<string, string>, cwd?: string) => Promise<Finished>;
  /** Starts a command as people do, as a process. */
  start: (args: string[], env?: Record<string, string>) => Started;
  /** Has a shell run `script` in a terminal of its own. */
  inTerminal: (script: string) => InTerminal;
  /** A repository with `a.txt` that says `bad`. */
  repository: (name?: string) => Promise<string>;
  /** Closed with the rest, newest first. */
  cleanup: CleanupStack;
  close: () => Promise<void>;
}

/** A command line with a scripted model that is installed as `m`. */
export async function commandLine(scenario: ScenarioInput = {}): Promise<CommandLine> {
  const cleanup = new CleanupStack();
  // A daemon that is killed cannot end the command that it runs.
  cleanup.add(async () => void (await execa('pkill', ['-KILL', '-f', NAP], { reject: false })));
  const dir = await mkdtemp(join(tmpdir(), 'sidecar-cli-'));
  cleanup.add(() => rm(dir, { recursive: true, force: true, maxRetries: 3 }));
  const model = await startScriptedModel({ scenario: { models: [{ name: 'm' }], ...scenario } });
  cleanup.add(() => model.close());
  const port = await freePort();
  const stateDir = join(dir, 'state');
  const base: Record<string, string> = {
    PATH: process.env.PATH ?? '',
    HOME: dir,
    ...loopAloneEnv,
    XDG_CACHE_HOME: process.env.XDG_CACHE_HOME ?? join(dir, '.cache'),
    OLLAMA_HOST: model.url,
    SIDECAR_STATE_DIR: stateDir,
    SIDECAR_MODEL: 'm',
    SIDECAR_EMBEDDED_HUB_PORT: String(port),
    SIDECAR_SANDBOX_MODE: 'off',
  };
  const start: CommandLine['start'] = (args, env = {}) => {
    const started = startCommand(args, { ...base, ...env }, dir);
    cleanup.add(() => stop(started));
    return started;
  };
  return {
    dir,
    stateDir,
    port,
    model,
    env: base,
    start,
    run: (args, env = {}, cwd = dir) => runInProcess(args, { ...base, ...env }, cwd),
    repository: (name) => sampleRepository(dir, {}, name),
    inTerminal: (script) => inTerminal(script, base, cleanup),
    cleanup,
    close: cleanup.close,
  };
}

function startCommand(args: string[], env: Record<string, string>, cwd: string): Started {
  const child = spawn(process.execPath, [CLI, ...args], { env, cwd, stdio: ['ignore', 'pipe', 'pipe'] });
  let stdout = '';
  let stderr = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => (stdout += text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text));
  const timer = setTimeout(() => child.kill('SIGKILL'), TIMEOUT_MS);
  const ended = new Promise<Finished>((fulfil) => {
    child.once('close', (code) => {
      clearTimeout(timer);
      fulfil({ code, stdout, stderr });
    });
  });
  return {
    child,
    stdout: () => stdout,
    stderr: () => stderr,
    ended,
    kill: (signal) => void child.kill(signal),
    until: (pattern) => outputThat(child, child.stdout, () => stdout, pattern),
    untilNote: (pattern) => outputThat(child, child.stderr, () => stderr, pattern),
  };
}

/** By the `script` of util-linux. */
function inTerminal(script: string, env: Record<string, string>, cleanup: CleanupStack): InTerminal {
  const child = spawn('script', ['-qec', script, '/dev/null'], {
    env: { ...process.env, ...env, TERM: 'xterm' },
    stdio: ['pipe', 'pipe', 'ignore'],
  });
  cleanup.add(() => void child.kill('SIGKILL'));
  let shown = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => (shown += text));
  return {
    shown: () => shown,
    press: (keys) => void child.stdin.write(keys),
    ended: new Promise((fulfil) => child.once('close', fulfil)),
  };
}

function outputThat(
  child: ChildProcess,
  stream: Readable,
  said: () => string,
  pattern: RegExp,
): Promise<string> {
  return new Promise((fulfil, reject) => {
    const look = () => {
      if (pattern.test(said())) fulfil(said());
    };
    stream.on('data', look);
    child.once('close', () => reject(new Error(`ended before ${String(pattern)} after:\n${said()}`)));
    look();
  });
}

async function stop({ child, ended }: Started): Promise<void> {
  if (child.exitCode === null && child.signalCode === null) child.kill('SIGKILL');
  await ended;
}

/** The JSON documents of an output, one a line. */
export function jsonLines(output: string): Record<string, unknown>[] {
  return output
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Record<string, unknown>);
}

/** Writes `good` into `a.txt`. */
export const repair: ScenarioInput = {
  turns: [
    call('read_file', { file_path: 'a.txt' }),
    call('edit_file', { file_path: 'a.txt', old_string: 'bad', new_string: 'good' }),
    say('Repaired.'),
  ],
};
/** A process that no other worker of the test runner has; padded, so that no number begins with another. */
export const NAP = `sleep 300.${String(process.pid).padStart(8, '0')}`;
/** A command that runs until it is stopped. */
export const endless: ScenarioInput = {
  turns: [call('shell', { command: `echo begun; ${NAP}`, timeout_ms: 400_000 })],
};

/** Command lines of processes that hold this text. */
export const processesWith = async (text: string): Promise<string[]> =>
  (await execa('ps', ['-eo', 'args'])).stdout.split('\n').filter((line) => line.includes(text));

/** Resolves once a process with this command line is there. */
export async function untilRunning(text: string): Promise<void> {
  for (let tries = 0; tries < 400; tries += 1) {
    if ((await processesWith(text)).length > 0) return;
    // Listing processes all the time takes the processor from the one that is to begin.
    await pause(50);
  }
  throw new Error(`${text} never began`);
}

/**
 * A small bash that starts the waiting shells of one kind, since this process is large: each fork of it copies its
 * page tables and makes every page that it writes afterwards a fault, which costs more than most commands. The
 * nursery is forked once for many shells; it holds their pipes, gives each its own and closes all others in it. A shell's
 * pid and end come as lines on its report pipe. When this process goes, so do the nursery and what it started.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { constants } from 'node:os';
import { Socket } from 'node:net';
import { createInterface } from 'node:readline';
import type { Readable, Writable } from 'node:stream';
import type { Exit, ProgramRequest, StartedChild } from './command-process.ts';
import { signalGroup } from './process-groups.ts';

/** Shells of one nursery; each holds four descriptors until it is used. */
const SHELLS = 16;
const REQUEST_FD = 3;
const REPORT_FD = 4;
const FIRST_SHELL_FD = 5;
/** stdout, stderr, status, command. */
const FDS_PER_SHELL = 4;
const END_FD = FIRST_SHELL_FD + FDS_PER_SHELL * SHELLS;
/** After a SIGKILL the end of a shell is taken for granted, reported or not. */
const END_AFTER_KILL_MS = 2000;

/**
 * One line on descriptor 3 starts one shell. Around each stands a wrapper that waits for its end; job control gives
 * both a process group of their own. When descriptor 3 ends, this process has gone or needs no more: shells that wait
 * end by themselves, since their pipes end too, and after a second wrappers are killed, and with them, by its
 * own parent-death signal, every sandbox that still runs. Not at once: a bubblewrap that dies while it is making a sandbox,
 * also because nobody reads its status any more, leaves a process behind that waits for ever; its wrapper ends that.
 */
const script = (closed: readonly number[], hasStatus: boolean) => `[ "\${BASH_VERSINFO[0]}" -ge 5 ] || exit 1
set -m
for ((i = 0; i < ${SHELLS}; i += 1)); do
  IFS= read -r -u ${REQUEST_FD} || break
  o=$((${FIRST_SHELL_FD} + ${FDS_PER_SHELL} * i)) e=$((o + 1)) s=$((o + 2)) c=$((o + 3))
  {
    set -m
    exec ${REQUEST_FD}<&-
    for ((f = c + 1; f < ${END_FD}; f += 1)); do eval "exec $f>&-"; done
    ${closed.map((fd) => `exec ${fd}>&-;`).join(' ')}
    eval "\\"\\$@\\" </dev/null >&$o 2>&$e 3>&${hasStatus ? '$s' : '-'} 4<&$c $o>&- $e>&- $s>&- $c>&- &"
    p=$!
    trap '' PIPE
    eval "exec $o>&- $e>&- $s>&- $c>&-"
    echo "$i $p" >&${REPORT_FD}
    wait -f "$p"
    r=$?
    ${hasStatus ? 'kill -KILL -- "-$p"' : ''}
    echo "$i $p $r" >&${REPORT_FD}
  } &
  eval "exec $o>&- $e>&- $s>&- $c>&-"
done 2>/dev/null
while IFS= read -r -u ${REQUEST_FD}; do :; done
for ((f = 0; f < 10; f += 1)); do
  [ -n "$(jobs -rp)" ] || exit 0
  sleep 0.1
done
for p in $(jobs -rp); do kill -KILL -- "-$p"; done 2>/dev/null`;

export class ShellNursery {
  /** False once one has ended without having started a shell: no bash, or too old a one. */
  static works = process.platform === 'linux';
  readonly #child: ChildProcess;
  readonly #shells: NurseryShell[] = [];
  readonly #request: ProgramRequest;
  #isGone = false;
  #hasStarted = false;
  #isRetired = false;
  #users = 0;

  /** `request`: the program that each shell is, by the shell that runs it. Throws where the system refuses at once. */
  constructor(request: ProgramRequest, shellPath: string) {
    this.#request = request;
    const { file, args, cwd, env, sandboxed, inheritedFds = [] } = request;
    // Those below are replaced by the shells' own.
    const text = script(
      inheritedFds.filter((fd) => fd >= END_FD),
      sandboxed,
    );
    const stdio: ('ignore' | 'pipe')[] = ['ignore', 'ignore', 'ignore', 'pipe', 'pipe'];
    for (let fd = FIRST_SHELL_FD; fd < END_FD; fd += 1) stdio.push('pipe');
    this.#child = spawn(shellPath, ['-c', text, 'nursery', file, ...args], {
      cwd,
      env,
      detached: true,
      stdio,
    });
    this.#child.once('error', () => this.#gone());
    this.#child.once('exit', () => this.#gone());
    for (const stream of this.#child.stdio) if (stream instanceof Socket) stream.unref();
    this.#child.unref();
    for (const stream of this.#child.stdio) stream?.on('error', () => undefined);
    createInterface({ input: this.#child.stdio[REPORT_FD] as Readable }).on('line', (line) =>
      this.#report(line),
    );
  }

  get isSpent(): boolean {
    return this.#isGone || this.#shells.length >= SHELLS;
  }

  /** Starts one more shell; undefined when there is none left. */
  start(): StartedChild | undefined {
    if (this.isSpent) return undefined;
    const first = FIRST_SHELL_FD + FDS_PER_SHELL * this.#shells.length;
    const pipes = this.#child.stdio.slice(first, first + FDS_PER_SHELL) as (Readable | Writable)[];
    const shell = new NurseryShell(pipes, {
      sandboxed: this.#request.sandboxed,
      use: (count) => this.#use(count),
    });
    this.#shells.push(shell);
    (this.#child.stdio[REQUEST_FD] as Writable).write('\n');
    return shell;
  }

  /** Starts no more; the nursery ends with its last shell. */
  retire(): void {
    this.#isRetired = true;
    this.#endIfIdle();
  }

  #report(line: string): void {
    const [index = -1, pid = 0, status] = line.split(' ').map(Number);
    this.#hasStarted = true;
    const shell = this.#shells[index];
    if (status === undefined) shell?.started(pid);
    else shell?.ended(status);
    this.#endIfIdle();
  }

  #endIfIdle(): void {
    if (!this.#isRetired || this.#shells.some((shell) => !shell.hasEnded)) return;
    // The pipes of shells that were started belong to those, and may still hold what a command printed.
    const unused = this.#child.stdio.slice(FIRST_SHELL_FD + FDS_PER_SHELL * this.#shells.length);
    for (const stream of unused) stream?.destroy();
    this.#child.stdio[REQUEST_FD]?.destroy();
    this.#child.stdio[REPORT_FD]?.destroy();
  }

  #gone(): void {
    this.#isGone = true;
    if (!this.#hasStarted && !this.#isRetired) ShellNursery.works = false;
    for (const shell of this.#shells) shell.ended(undefined);
  }

  /** A shell that is used keeps the process alive, as any child would. */
  #use(count: number): void {
    this.#users += count;
    const report = this.#child.stdio[REPORT_FD] as Socket;
    if (this.#users > 0) report.ref();
    else report.unref();
  }
}

interface ShellOptions {
  sandboxed: boolean;
  /** Counts the shells in use up and down. */
  use: (count: 1 | -1) => void;
}

class NurseryShell implements StartedChild {
  readonly stdio: StartedChild['stdio'];
  readonly exited: Promise<Exit>;
  pid: number | undefined;
  hasEnded = false;
  readonly #options: ShellOptions;
  #resolve: (exit: Exit) => void = () => undefined;
  #isUsed = false;

  constructor([out, err, status, command]: readonly (Readable | Writable)[], options: ShellOptions) {
    this.stdio = [null, out, err, options.sandboxed ? status : null, command];
    this.#options = options;
    if (!options.sandboxed) status?.destroy();
    this.exited = new Promise((resolve) => (this.#resolve = resolve));
  }

  started(pid: number): void {
    this.pid = pid;
  }

  /** `status` as bash has it; undefined: nobody knows. */
  ended(status: number | undefined): void {
    if (this.hasEnded) return;
    this.hasEnded = true;
    this.unref();
    this.#resolve(exitOf(status, this.#options.sandboxed));
  }

  signal(signal: 'SIGTERM' | 'SIGKILL'): void {
    if (this.pid === undefined) return;
    signalGroup(this.pid, signal);
    if (signal !== 'SIGKILL' || this.hasEnded) return;
    const timer = setTimeout(() => this.ended(undefined), END_AFTER_KILL_MS);
    // While it is in use its report pipe keeps this process alive.
    timer.unref();
    void this.exited.then(() => clearTimeout(timer));
  }

  ref(): void {
    if (this.#isUsed || this.hasEnded) return;
    this.#isUsed = true;
    this.#options.use(1);
  }

  unref(): void {
    if (!this.#isUsed) return;
    this.#isUsed = false;
    this.#options.use(-1);
  }
}

const SIGNAL_BASE = 128;

/** A sandbox reports a signal as 128 + n by itself; of a plain shell that is all that bash tells. */
function exitOf(status: number | undefined, sandboxed: boolean): Exit {
  if (status === undefined) return { exitCode: null, signal: 'SIGKILL' };
  if (sandboxed || status <= SIGNAL_BASE) return { exitCode: status, signal: null };
  const signal = Object.entries(constants.signals).find(([, number]) => number === status - SIGNAL_BASE)?.[0];
  return signal ? { exitCode: null, signal: signal as NodeJS.Signals } : { exitCode: status, signal: null };
}

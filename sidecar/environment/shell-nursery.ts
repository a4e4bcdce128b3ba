/**
 * A small bash that starts the waiting shells of one kind, since this process is large: each fork of it copies its
 * page tables and makes every page that it writes afterwards a fault, which costs more than most commands. The
 * nursery is forked once for many shells; it holds their pipes, gives each its own and closes all others in it. A shell's
 * group and end come as lines on its status pipe, whose own end tells of a shell that was killed. When this process
 * goes, so do the nursery and what it started.
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
/** 4 stays free: a shell reads its command there, and none of its redirections may meet another. */
const FIRST_SHELL_FD = 5;
/** stdout, stderr, status, command. */
const FDS_PER_SHELL = 4;
const END_FD = FIRST_SHELL_FD + FDS_PER_SHELL * SHELLS;
/** After a SIGKILL the end of a shell is taken for granted, reported or not. */
const END_AFTER_KILL_MS = 2000;

/**
 * One line on descriptor 3 starts one shell. Around each stands a wrapper that leads its group and runs the shell in the
 * foreground: waiting for a background job with `wait -f` is not safe in bash, which may lose a job that ends at that
 * moment and then spins for ever. The wrapper outlives a SIGTERM of the group (a handler, unlike an ignored signal, is
 * not inherited), and a SIGKILL closes the status pipe with it. When descriptor 3 ends, this process has gone or needs
 * no more: shells that wait end by themselves, since their pipes end too, and after a second the groups are killed, and
 * with them, by its own parent-death signal, every sandbox that still runs. Not at once: a bubblewrap that dies while it
 * is making a sandbox, also because nobody reads its status any more, leaves a process behind that waits for ever; its
 * wrapper ends that.
 */
const script = (closed: readonly number[], hasStatus: boolean) => `[ "\${BASH_VERSINFO[0]}" -ge 5 ] || exit 1
set -m
for ((i = 0; i < ${SHELLS}; i += 1)); do
  IFS= read -r -u ${REQUEST_FD} || break
  o=$((${FIRST_SHELL_FD} + ${FDS_PER_SHELL} * i)) e=$((o + 1)) s=$((o + 2)) c=$((o + 3))
  {
    trap : TERM INT HUP PIPE
    exec ${REQUEST_FD}<&-
    for ((f = c + 1; f < ${END_FD}; f += 1)); do eval "exec $f>&-"; done
    ${closed.map((fd) => `exec ${fd}>&-;`).join(' ')}
    echo "group $BASHPID" >&$s
    eval "\\"\\$@\\" </dev/null >&$o 2>&$e ${hasStatus ? '3>&$s' : ''} 4<&$c $o>&- $e>&- $s>&- $c>&-"
    r=$?
    eval "exec $o>&- $e>&-"
    echo "ended $r" >&$s
    ${hasStatus ? 'kill -KILL 0' : ''}
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

  /** `request`: the program that each shell is, by the shell that runs it. Throws where the system refuses at once. */
  constructor(request: ProgramRequest, shellPath: string) {
    this.#request = request;
    const { file, args, cwd, env, sandboxed, inheritedFds = [] } = request;
    // Those below are replaced by the shells' own.
    const text = script(
      inheritedFds.filter((fd) => fd >= END_FD),
      sandboxed,
    );
    const stdio: ('ignore' | 'pipe')[] = ['ignore', 'ignore', 'ignore', 'pipe', 'ignore'];
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
      onStarted: () => (this.#hasStarted = true),
      onEnded: () => this.#endIfIdle(),
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

  #endIfIdle(): void {
    if (!this.#isRetired || this.#shells.some((shell) => !shell.hasEnded)) return;
    // The pipes of shells that were started belong to those, and may still hold what a command printed.
    const unused = this.#child.stdio.slice(FIRST_SHELL_FD + FDS_PER_SHELL * this.#shells.length);
    for (const stream of unused) stream?.destroy();
    this.#child.stdio[REQUEST_FD]?.destroy();
  }

  #gone(): void {
    this.#isGone = true;
    if (!this.#hasStarted && !this.#isRetired) ShellNursery.works = false;
    for (const shell of this.#shells) shell.ended(undefined);
  }
}

interface ShellOptions {
  sandboxed: boolean;
  onStarted: () => void;
  onEnded: () => void;
}

class NurseryShell implements StartedChild {
  readonly stdio: StartedChild['stdio'];
  readonly exited: Promise<Exit>;
  pid: number | undefined;
  hasEnded = false;
  readonly #options: ShellOptions;
  readonly #status: Socket;
  #resolve: (exit: Exit) => void = () => undefined;

  constructor([out, err, status, command]: readonly (Readable | Writable)[], options: ShellOptions) {
    // Without a sandbox nothing but the wrapper writes there.
    this.stdio = [null, out, err, options.sandboxed ? status : null, command];
    this.#options = options;
    this.#status = status as Socket;
    this.exited = new Promise((resolve) => (this.#resolve = resolve));
    createInterface({ input: this.#status }).on('line', (line) => this.#report(line));
    this.#status.once('close', () => this.ended(undefined));
  }

  #report(line: string): void {
    const [, what, number] = /^(group|ended) (\d+)$/u.exec(line) ?? [];
    if (what === 'group') {
      this.pid = Number(number);
      this.#options.onStarted();
    } else if (what === 'ended') this.ended(Number(number));
  }

  /** `status` as bash has it; undefined: nobody knows. */
  ended(status: number | undefined): void {
    if (this.hasEnded) return;
    this.hasEnded = true;
    this.#status.unref();
    this.#resolve(exitOf(status, this.#options.sandboxed));
    this.#options.onEnded();
  }

  signal(signal: 'SIGTERM' | 'SIGKILL'): void {
    if (this.pid === undefined) return;
    signalGroup(this.pid, signal);
    if (signal !== 'SIGKILL' || this.hasEnded) return;
    const timer = setTimeout(() => this.ended(undefined), END_AFTER_KILL_MS);
    // While it is in use its status pipe keeps this process alive.
    timer.unref();
    void this.exited.then(() => clearTimeout(timer));
  }

  ref(): void {
    if (!this.hasEnded) this.#status.ref();
  }

  unref(): void {
    this.#status.unref();
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

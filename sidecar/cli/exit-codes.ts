import { failureCode } from '../protocol/failure-codes.ts';

/** The meaning of a command's exit code. Documented in docs/CLI.md and in `--help`. */
export const EXIT = {
  ok: 0,
  failed: 1,
  usage: 2,
  partial: 3,
  tokenRefused: 4,
  hubUnreachable: 5,
  state: 6,
  preflight: 7,
  /** The hub asked for a restart; whoever supervises the worker starts it again. */
  restart: 8,
  hungUp: 129,
  interrupted: 130,
  /** The reader of stdout closed it while a task was followed; the number that shells use for SIGPIPE. */
  outputClosed: 141,
  terminated: 143,
} as const;
export type ExitCode = (typeof EXIT)[keyof typeof EXIT];

/** An expected end of a command: one message that says what happened, where, and what to do. */
export class CommandError extends Error {
  override readonly name = 'CommandError';
  readonly exitCode: ExitCode;
  /** Stable, listed in docs/ERRORS.md. */
  readonly code: string;

  constructor(exitCode: ExitCode, code: string, message: string) {
    super(message);
    this.exitCode = exitCode;
    this.code = code;
  }
}

/** The command was used in a way that cannot work. */
export const usageError = (code: string, message: string): CommandError =>
  new CommandError(EXIT.usage, code, message);

/** Something that a task needs is missing. */
export const preflightError = (code: string, message: string): CommandError =>
  new CommandError(EXIT.preflight, code, message);

/** The exit code for a failure's code; undefined for a code that decides nothing, or is not this program's. */
export function exitCodeOfFailure(code: string): ExitCode | undefined {
  if (code.startsWith('storage_') || code === 'temporary_folder') return EXIT.state;
  if (code === 'token_refused' || code === 'invalid_token') return EXIT.tokenRefused;
  if (code === 'catalog_invalid' || code === 'observability_address') return EXIT.usage;
  if (/^(hub_url|config|evaluate)_/u.test(code)) return EXIT.usage;
  return code.startsWith('hub_') ? EXIT.hubUnreachable : undefined;
}

/** A worker that could not be started, or ended before its time. */
export const workerError = (code: string, message: string): CommandError =>
  new CommandError(exitCodeOfFailure(code) ?? EXIT.preflight, code, message);

/** Codes of a model server that lacks what a task needs, found out as late as at its load. */
const MISSING_AT_LOAD = new Set(['model_out_of_memory', 'model_load_failed']);

/** Returns the exit code for a task's ending; a task that was cancelled elsewhere counts as failed. */
export function exitCodeOfTask(status: string, error: string | null | undefined): ExitCode {
  if (status === 'success') return EXIT.ok;
  if (MISSING_AT_LOAD.has(failureCode(error ?? '') ?? '')) return EXIT.preflight;
  return status === 'partial' ? EXIT.partial : EXIT.failed;
}

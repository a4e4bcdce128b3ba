import { failureCodeOf } from '../base/protocol/failure-codes.ts';

/** Exit codes of commands. Documented in docs/CLI.md and in `--help`. */
export const EXIT = {
  ok: 0,
  failed: 1,
  usage: 2,
  partial: 3,
  tokenRefused: 4,
  hubUnreachable: 5,
  state: 6,
  preflight: 7,
  /** The hub requested a restart; the worker's supervisor has to start the worker again. */
  restart: 8,
  hungUp: 129,
  interrupted: 130,
  /** The reader closed stdout while a task was followed; shells use this number for SIGPIPE. */
  outputClosed: 141,
  terminated: 143,
} as const;
export type ExitCode = (typeof EXIT)[keyof typeof EXIT];

/** An expected failure of a command: one message with cause, place and remedy. */
export class CommandError extends Error {
  override readonly name = 'CommandError';
  readonly exitCode: ExitCode;
  /** Stable code, listed in docs/ERRORS.md. */
  readonly code: string;

  constructor(exitCode: ExitCode, code: string, message: string) {
    super(message);
    this.exitCode = exitCode;
    this.code = code;
  }
}

/** Creates the error for wrong usage of a command. */
export const createUsageError = (code: string, message: string): CommandError =>
  new CommandError(EXIT.usage, code, message);

/** Creates the error for a missing precondition of a task. */
export const createPreflightError = (code: string, message: string): CommandError =>
  new CommandError(EXIT.preflight, code, message);

/** Returns the exit code for a failure's code; undefined if the code does not determine one. */
export function exitCodeOfFailure(code: string): ExitCode | undefined {
  if (code.startsWith('storage_') || code === 'temporary_folder') return EXIT.state;
  if (code === 'token_refused' || code === 'invalid_token') return EXIT.tokenRefused;
  if (code === 'catalog_invalid' || code === 'observability_address') return EXIT.usage;
  if (/^(hub_url|config|evaluate)_/u.test(code)) return EXIT.usage;
  return code.startsWith('hub_') ? EXIT.hubUnreachable : undefined;
}

/** Creates the error of a worker that could not start or ended early. */
export const createWorkerError = (code: string, message: string): CommandError =>
  new CommandError(exitCodeOfFailure(code) ?? EXIT.preflight, code, message);

/** Codes of missing preconditions that are detected only when the model is loaded. */
const LOAD_FAILURE_CODES = new Set(['model_out_of_memory', 'model_load_failed']);

/** Returns the exit code for a task's ending; a task that was cancelled elsewhere counts as failed. */
export function exitCodeOfTask(status: string, error: string | null | undefined): ExitCode {
  if (status === 'success') return EXIT.ok;
  if (LOAD_FAILURE_CODES.has(failureCodeOf(error ?? '') ?? '')) return EXIT.preflight;
  return status === 'partial' ? EXIT.partial : EXIT.failed;
}

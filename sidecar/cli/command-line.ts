/** Runs a command and converts expected failures to one message and an exit code. */
import { tmpdir } from 'node:os';
import { CommanderError } from 'commander';
import { HubError, type HubErrorKind } from '../hub/client/hub-error.ts';
import { isCodedError } from '../base/values/errors.ts';
import { StorageError, toStorageError } from '../base/storage/storage-error.ts';
import { CommandError, EXIT, exitCodeOfFailure, type ExitCode } from './exit-codes.ts';
import { watchLostOutput } from './lost-output.ts';
import { buildProgram } from './program.ts';
import { noteOnStderr } from './terminal.ts';

/** Runs the command of `process.argv` and sets the process's exit code. Never rejects. */
export async function runCommandLine(argv: readonly string[]): Promise<void> {
  const json = argv.includes('--json');
  watchLostOutput((message) => report('output_failed', message, json));
  try {
    await buildProgram({ quiet: json }).parseAsync(argv);
  } catch (error) {
    if (error instanceof CommanderError) {
      process.exitCode = error.exitCode === 0 ? EXIT.ok : EXIT.usage;
      // Without --json commander has printed the message or the requested help.
      if (json && error.exitCode !== 0) report('usage_invalid', error.message.replace(/^error: /u, ''), json);
      return;
    }
    const expected = toExpectedFailure(error);
    if (expected) {
      report(expected.code, expected.message, json);
      process.exitCode = expected.exitCode;
      return;
    }
    report('internal_error', error instanceof Error ? (error.stack ?? error.message) : String(error), json);
    process.exitCode = EXIT.failed;
  }
}

const HUB_EXIT_CODES: Record<HubErrorKind, ExitCode> = {
  unreachable: EXIT.hubUnreachable,
  refused: EXIT.tokenRefused,
  request: EXIT.usage,
  failed: EXIT.failed,
};

interface ExpectedFailure {
  code: string;
  message: string;
  exitCode: number;
}

/** Returns the message and the exit code for a `CommandError`, a failure of the hub, or an error with a known code. */
function toExpectedFailure(error: unknown): ExpectedFailure | undefined {
  if (error instanceof CommandError) return error;
  if (error instanceof HubError) {
    return { code: error.code, message: error.message, exitCode: HUB_EXIT_CODES[error.kind] };
  }
  if (!isCodedError(error)) return undefined;
  const { code, message } = error;
  const exitCode = exitCodeOfFailure(code);
  return exitCode === undefined ? describePathFailure(error) : { code, message, exitCode };
}

/** Returns the failure for a path that cannot be read or written, if the command reported no more exact message. */
function describePathFailure(error: unknown): ExpectedFailure | undefined {
  const { path, syscall, message } = error as { path?: unknown; syscall?: unknown; message: string };
  if (syscall === 'uv_cwd') {
    const message = 'The current folder no longer exists. Change to another folder.';
    return { code: 'working_folder_gone', message: message, exitCode: EXIT.usage };
  }
  const failure = toStorageError(error, typeof path === 'string' ? path : '');
  if (!(failure instanceof StorageError)) return undefined;
  // The error of a failed write to an open file contains no path. Without a path, only a full disk has a clear remedy.
  if (typeof path !== 'string' && failure.code !== 'storage_disk_full') return undefined;
  return {
    code: failure.code,
    message: `${message}. Check the path, its permissions and the disk, or choose other folders with SIDECAR_STATE_DIR, SIDECAR_DATA_DIR and TMPDIR (now ${tmpdir()}).`,
    exitCode: EXIT.state,
  };
}

function report(code: string, message: string, json: boolean): void {
  if (json) process.stderr.write(`${JSON.stringify({ error: { code, message } })}\n`);
  else noteOnStderr(`ollama-sidecar: ${message}`);
}

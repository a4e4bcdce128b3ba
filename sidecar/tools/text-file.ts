/**
 * A file as it is found where something is to be written: one that exists and cannot be read as text is none that is not
 * there. Whoever writes over it would lose what nobody has seen.
 */
import { errorCode, errorMessage } from '../values/errors.ts';
import type { ExecutionEnvironment } from '../ports.ts';

export type TextFile =
  | { kind: 'absent' }
  | { kind: 'text'; text: string }
  /** `reason` completes "the file …" and says what to do. */
  | { kind: 'unreadable'; reason: string };

/** Failures that say that there is no such file. */
const ABSENT = new Set(['NOT_FOUND', 'NOT_A_DIRECTORY', 'INVALID_PATH', 'PATH_OUTSIDE_WORKSPACE']);
const WHAT_TO_DO = 'change it with a shell command that keeps its other bytes (sed, perl, python)';

/** Reads a file of the workspace, or says why it cannot be read. Never rejects. */
export function readTextFile(env: Pick<ExecutionEnvironment, 'readFile'>, path: string): Promise<TextFile> {
  return env.readFile(path).then(
    ({ text }): TextFile => ({ kind: 'text', text }),
    (error: unknown): TextFile => {
      const code = errorCode(error) ?? '';
      return ABSENT.has(code) ? { kind: 'absent' } : { kind: 'unreadable', reason: reasonOf(code, error) };
    },
  );
}

function reasonOf(code: string, error: unknown): string {
  if (code === 'BINARY_FILE') return `exists and is no text; ${WHAT_TO_DO}`;
  if (code === 'TOO_LARGE') return `exists and is too large to be read whole; ${WHAT_TO_DO}`;
  return `exists and cannot be read (${errorMessage(error)})`;
}

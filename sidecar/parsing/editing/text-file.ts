/**
 * Reads a file before it is overwritten. A file that exists but cannot be read as text is not treated as missing, because overwriting it
 * would destroy content that the model has not seen.
 */
import { errorCode, errorMessage } from '../../base/values/errors.ts';
import type { ExecutionEnvironment } from '../../base/ports.ts';

export type TextFile =
  | { kind: 'absent' }
  | { kind: 'text'; text: string }
  /** `reason`: end of a sentence "the file …", with advice. */
  | { kind: 'unreadable'; reason: string };

/** Error codes that mean that the file does not exist. */
const ABSENT_CODES = new Set(['NOT_FOUND', 'NOT_A_DIRECTORY', 'INVALID_PATH', 'PATH_OUTSIDE_WORKSPACE']);
const SHELL_ADVICE = 'change it with a shell command that preserves its other bytes (sed, perl, python)';

/** Reads a file of the workspace. Returns the reason if it cannot be read. Never rejects. */
export function readTextFile(env: Pick<ExecutionEnvironment, 'readFile'>, path: string): Promise<TextFile> {
  return env.readFile(path).then(
    ({ text }): TextFile => ({ kind: 'text', text }),
    (error: unknown): TextFile => {
      const code = errorCode(error) ?? '';
      return ABSENT_CODES.has(code)
        ? { kind: 'absent' }
        : { kind: 'unreadable', reason: reasonOf(code, error) };
    },
  );
}

function reasonOf(code: string, error: unknown): string {
  if (code === 'BINARY_FILE') return `exists and is not text; ${SHELL_ADVICE}`;
  if (code === 'TOO_LARGE') return `exists and is too large to be read whole; ${SHELL_ADVICE}`;
  return `exists and cannot be read (${errorMessage(error)})`;
}

/** The warning that a person must see where commands of the model run without a sandbox. */
import type { Config } from '../config/schema.ts';

/** Undefined where bubblewrap works; a sandbox that is required and missing is reported by the worker's start. */
export async function sandboxWarning({ sandbox: { mode } }: Config): Promise<string | undefined> {
  if (mode === 'off')
    return 'WARNING: the sandbox is off (sandbox.mode): commands of the model run with your rights.';
  if (mode === 'required') return undefined;
  const { detectSandbox } = await import('../commands/sandbox-detect.ts');
  const found = await detectSandbox();
  if (found.available) return undefined;
  return `WARNING: no sandbox (${found.reason}): commands of the model run with your rights. Install bubblewrap to confine them.`;
}

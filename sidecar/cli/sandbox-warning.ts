import type { Config } from '../config/schema.ts';

/** Returns a warning if commands of the model would run unconfined. The worker's start reports a missing required sandbox. */
export async function sandboxWarning({ sandbox: { mode } }: Config): Promise<string | undefined> {
  if (mode === 'off')
    return 'WARNING: the sandbox is off (sandbox.mode): commands of the model run with your rights.';
  if (mode === 'required') return undefined;
  const { detectSandbox } = await import('../commands/sandbox-detect.ts');
  const found = await detectSandbox();
  if (found.available) return undefined;
  return `WARNING: no sandbox (${found.reason}): commands of the model run with your rights. Install bubblewrap to confine them.`;
}

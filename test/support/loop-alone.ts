/** Settings of a worker that solves by the loop alone, for tests of anything but drafts and the brief. */
import type { ConfigInput } from '../../sidecar/base/config/schema.ts';

export const loopAlone = {
  solving: { strategy: 'loop' },
  brief: { seconds: 0 },
} satisfies ConfigInput;

/** The same in the environment of a command. */
export const loopAloneEnv = { SIDECAR_SOLVING_STRATEGY: 'loop', SIDECAR_BRIEF_SECONDS: '0' };

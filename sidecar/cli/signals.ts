/** Waiting for a person or a service manager to end a command. */
import { EXIT, type ExitCode } from './exit-codes.ts';

/** Resolves at the first SIGINT or SIGTERM. A server that is asked to stop has done its work: SIGTERM is no failure. */
export function untilSignal(): Promise<ExitCode> {
  return new Promise((resolve) => {
    process.once('SIGINT', () => resolve(EXIT.interrupted));
    process.once('SIGTERM', () => resolve(EXIT.ok));
  });
}

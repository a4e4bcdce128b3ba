/** A logger that says nothing, for callers who gave none. */
import type { Logger } from '../ports.ts';

export const silentLogger: Logger = {
  debug: () => undefined,
  info: () => undefined,
  warn: () => undefined,
  error: () => undefined,
  child: () => silentLogger,
};

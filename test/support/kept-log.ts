/** A logger that keeps its lines, each with the fields of the loggers that it came from. */
import type { Logger } from '../../sidecar/base/ports.ts';

export interface LogLine {
  level: 'debug' | 'info' | 'warn' | 'error';
  message: string;
  [field: string]: unknown;
}

export interface KeptLog extends Logger {
  /** Oldest first. */
  readonly lines: LogLine[];
  /** Those that an operator sees: not at debug level. */
  readonly shown: LogLine[];
}

export function keptLog(): KeptLog {
  const lines: LogLine[] = [];
  const loggerWith = (bound: object): Logger => {
    const keep = (level: LogLine['level']) => (fields: object, message: string) =>
      void lines.push({ ...bound, ...fields, level, message });
    return {
      debug: keep('debug'),
      info: keep('info'),
      warn: keep('warn'),
      error: keep('error'),
      child: (fields) => loggerWith({ ...bound, ...fields }),
    };
  };
  return {
    ...loggerWith({}),
    lines,
    get shown() {
      return lines.filter(({ level }) => level !== 'debug');
    },
  };
}

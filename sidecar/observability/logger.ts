/**
 * The process's log: pino's JSON lines on stderr, readable lines where stderr is a terminal.
 * Secrets are masked in the finished line, so that no field can be forgotten.
 */
import { pino } from 'pino';
import type { Logger } from '../ports.ts';
import { printable } from '../values/printable.ts';
import type { SecretMasker } from './secrets.ts';

export interface LoggerOptions {
  level: 'debug' | 'info' | 'warn' | 'error' | 'silent';
  masker: SecretMasker;
  /** Readable lines instead of JSON; default: whether stderr is a terminal. */
  pretty?: boolean;
  /** Where lines go; default stderr. */
  write?: (line: string) => void;
}

/** Creates the root logger. */
export async function createLogger(options: LoggerOptions): Promise<Logger> {
  const { level, masker } = options;
  const write = options.write ?? ((line: string) => void process.stderr.write(line));
  const sink = await createSink(options.pretty ?? process.stderr.isTTY, write);
  const logger: Logger = pino(
    {
      level,
      base: undefined,
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
    },
    { write: (line: string) => sink(masker.mask(line)) },
  );
  return logger;
}

async function createSink(pretty: boolean, write: (line: string) => void): Promise<(line: string) => void> {
  if (!pretty) return write;
  const { prettyFactory } = await import('pino-pretty');
  const format = prettyFactory({ colorize: true, translateTime: 'HH:MM:ss', ignore: 'pid,hostname' });
  // The terminal obeys control characters, whoever wrote them.
  const shown = (_key: string, value: unknown): unknown =>
    typeof value === 'string' ? printable(value) : value;
  return (line) => write(format(JSON.parse(line, shown) as object));
}

/**
 * Creates the process's logger: JSON lines of pino on stderr, or readable lines on a terminal. Secrets are masked in the complete line, so
 * that no field is missed.
 */
import { pino } from 'pino';
import type { Logger } from '../ports.ts';
import { toPrintable } from '../values/printable.ts';
import type { SecretMasker } from './secrets.ts';

export interface LoggerOptions {
  level: 'debug' | 'info' | 'warn' | 'error' | 'silent';
  masker: SecretMasker;
  /** Whether to write readable lines instead of JSON. Default: true on a terminal. */
  isPretty?: boolean;
  /** Writes a line. Default: writes it to stderr. */
  write?: (line: string) => void;
}

/** Creates a logger that masks secrets. */
export async function createLogger(options: LoggerOptions): Promise<Logger> {
  const { level, masker } = options;
  const write = options.write ?? ((line: string) => void process.stderr.write(line));
  const sink = await createSink(options.isPretty ?? process.stderr.isTTY, write);
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
  // A terminal would execute control characters, so they are escaped.
  const escapeStrings = (_key: string, value: unknown): unknown =>
    typeof value === 'string' ? toPrintable(value) : value;
  return (line) => write(format(JSON.parse(line, escapeStrings) as object));
}

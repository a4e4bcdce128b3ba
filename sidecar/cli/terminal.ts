/**
 * How commands print: colours and tables for a person at a terminal, plain JSON where the output is read by a program
 * (operations.md, CLI). Text that came from outside is stripped of control characters first.
 */
import { stripVTControlCharacters } from 'node:util';
import pc from 'picocolors';

export interface Terminal {
  /** Print JSON: asked for by `--json`, or nobody is looking. */
  readonly json: boolean;
  readonly interactive: boolean;
  readonly width: number;
  readonly color: ReturnType<typeof pc.createColors>;
  /** One line on stdout. */
  readonly line: (text?: string) => void;
  /** One JSON document on one line on stdout. */
  readonly data: (value: unknown) => void;
  /** One line on stderr: progress and warnings, never data. */
  readonly note: (text: string) => void;
}

/** The process's terminal; `json` is the flag `--json`. */
export function createTerminal(json: boolean | undefined): Terminal {
  const interactive = process.stdout.isTTY && !json;
  const color = pc.createColors(interactive && pc.isColorSupported);
  return {
    json: json ?? !process.stdout.isTTY,
    interactive,
    width: Math.max(40, process.stdout.columns || 100),
    color,
    line: (text = '') => void process.stdout.write(`${text}\n`),
    data: (value) => void process.stdout.write(`${JSON.stringify(value)}\n`),
    note: (text) => void process.stderr.write(`${text}\n`),
  };
}

/** Text from a model, a file or a hub, safe to show on a terminal: no escape sequences, no control characters but newline and tab. */
export function printable(text: string): string {
  // eslint-disable-next-line no-control-regex
  return stripVTControlCharacters(text).replace(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/gu, '');
}

/** `printable` on one line of at most `maxChars`. */
export function printableLine(text: string, maxChars: number): string {
  const line = printable(text).replace(/\s+/gu, ' ').trim();
  return line.length <= maxChars ? line : `${line.slice(0, Math.max(0, maxChars - 1))}…`;
}

/** Columns aligned by their widest cell; cells may be coloured. The last column takes what is left of the width. */
export function table(rows: readonly (readonly string[])[], width: number): string[] {
  const columns = Math.max(0, ...rows.map((row) => row.length));
  const widths = Array.from({ length: columns }, (_value, column) =>
    Math.max(...rows.map((row) => visibleLength(row[column] ?? ''))),
  );
  return rows.map((row) => {
    const cells = row.map((cell, column) =>
      column === row.length - 1 ? cell : cell + ' '.repeat((widths[column] ?? 0) - visibleLength(cell)),
    );
    return clip(cells.join('  '), width);
  });
}

const visibleLength = (text: string): number => Array.from(stripVTControlCharacters(text)).length;

/** Cuts plain lines that are too long; coloured ones are left to the terminal, where a cut could lose the reset. */
function clip(text: string, width: number): string {
  if (visibleLength(text) <= width || stripVTControlCharacters(text) !== text) return text;
  return `${Array.from(text)
    .slice(0, width - 1)
    .join('')}…`;
}

/** `950 ms`, `12.3 s`, `4 min 05 s`. */
export function duration(ms: number): string {
  if (ms < 1000) return `${Math.round(ms)} ms`;
  if (ms < 60_000) return `${(ms / 1000).toFixed(1)} s`;
  const seconds = Math.round(ms / 1000);
  return `${Math.floor(seconds / 60)} min ${String(seconds % 60).padStart(2, '0')} s`;
}

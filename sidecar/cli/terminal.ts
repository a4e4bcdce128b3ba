/**
 * The output of commands: colours and tables for users at a terminal, JSON for programs. Text from outside must be made
 * printable first (`base/values/printable.ts`).
 */
import { stripVTControlCharacters } from 'node:util';
import pc from 'picocolors';

/** Format of a printed list: a table with a row per item, or the text `emptyText` if the list is empty. */
export interface ListFormat<T> {
  emptyText: string;
  titles: readonly string[];
  row: (item: T) => readonly string[];
  /** Titles of the columns that a narrow terminal leaves out, in this order. */
  optionalColumns?: readonly string[];
}

export interface Terminal {
  /** Whether to print JSON: requested by `--json`, or the command prints data and stdout is not a terminal. */
  readonly json: boolean;
  readonly interactive: boolean;
  readonly width: number;
  readonly color: ReturnType<typeof pc.createColors>;
  /** Prints one line on stdout. */
  readonly line: (text?: string) => void;
  /** Prints text on stdout, wrapped between words; continuation lines start with `indent`. */
  readonly prose: (text: string, indent?: string) => void;
  /**
   * Prints rows on stdout in columns as wide as their widest cell, with optional titles. `optionalColumns`: titles of the
   * columns that are left out, in this order, if the table is wider than the terminal.
   */
  readonly table: (
    rows: readonly (readonly string[])[],
    titles?: readonly string[],
    optionalColumns?: readonly string[],
  ) => void;
  /** Prints items as JSON or as a table. */
  readonly list: <T>(items: readonly T[], list: ListFormat<T>) => void;
  /** Prints one JSON document on one line of stdout. */
  readonly data: (value: unknown) => void;
  /** Prints progress and warnings on stderr, never data. */
  readonly note: (text: string) => void;
}

const DEFAULT_WIDTH = 80;
/** Maximum width of a table, in characters, if stdout is not a terminal. */
const PIPE_WIDTH = 400;

/**
 * Creates the process's terminal. `json`: the flag `--json` or `--no-json`. `kind`: `text` for users, or `data`, which
 * is printed as JSON if stdout is not a terminal.
 */
export function createTerminal(json: boolean | undefined, kind: 'text' | 'data' = 'text'): Terminal {
  const asJson = json ?? (kind === 'data' && !process.stdout.isTTY);
  const interactive = process.stdout.isTTY && !asJson;
  const color = pc.createColors(interactive && pc.isColorSupported);
  const width = interactive ? Math.max(40, process.stdout.columns || DEFAULT_WIDTH) : PIPE_WIDTH;
  const line = (text = '') => void process.stdout.write(`${text}\n`);
  const terminal: Terminal = {
    json: asJson,
    interactive,
    width,
    color,
    line,
    prose: (text, indent = '  ') => {
      const wrapWidth = interactive ? process.stdout.columns || DEFAULT_WIDTH : Infinity;
      wrapLines(text, wrapWidth, indent).forEach((one) => line(one));
    },
    table: (rows, titles, optionalColumns = []) => {
      const head = titles ? [titles.map((title) => color.dim(title))] : [];
      formatTable([...head, ...rows], width, optionalColumns).forEach((one) => line(one));
    },
    list: (items, { emptyText, titles, row, optionalColumns }) => {
      if (asJson) terminal.data(items);
      else if (items.length === 0) terminal.prose(emptyText);
      else terminal.table(items.map(row), titles, optionalColumns);
    },
    data: (value) => line(JSON.stringify(value)),
    note: noteOnStderr,
  };
  return terminal;
}

/** Prints lines on stderr, wrapped between words on a terminal. Indented lines are commands to copy and are not wrapped. */
export function noteOnStderr(text: string): void {
  const wrapWidth = process.stderr.isTTY ? process.stderr.columns || DEFAULT_WIDTH : Infinity;
  const lines = text
    .split('\n')
    .flatMap((line) => (line.startsWith('  ') ? [line] : wrapLines(line, wrapWidth, '  ')));
  for (const line of lines) process.stderr.write(`${line}\n`);
}

/**
 * Aligns columns by their widest cell; cells may be coloured. If the table is too wide, removes the columns with the
 * `optionalColumns` titles one after the other. Cuts the last column at the width.
 */
export function formatTable(
  rows: readonly (readonly string[])[],
  width: number,
  optionalColumns: readonly string[] = [],
): string[] {
  const [title, ...otherTitles] = optionalColumns;
  const widths = columnWidthsOf(rows);
  const tableWidth = widths.reduce((sum, one) => sum + one + 2, -2);
  if (title !== undefined && tableWidth > width) {
    const dropped = rows[0]?.findIndex((cell) => stripVTControlCharacters(cell) === title) ?? -1;
    const narrower =
      dropped < 0 ? rows : rows.map((row) => row.filter((_cell, column) => column !== dropped));
    return formatTable(narrower, width, otherTitles);
  }
  return rows.map((row) => {
    const cells = row.map((cell, column) =>
      column === row.length - 1 ? cell : cell + ' '.repeat((widths[column] ?? 0) - visibleLengthOf(cell)),
    );
    return cutLine(cells.join('  ').trimEnd(), width);
  });
}

/** Returns the width of the widest cell of each column. */
function columnWidthsOf(rows: readonly (readonly string[])[]): number[] {
  const columns = Math.max(0, ...rows.map((row) => row.length));
  return Array.from({ length: columns }, (_value, column) =>
    Math.max(...rows.map((row) => visibleLengthOf(row[column] ?? ''))),
  );
}

const visibleLengthOf = (text: string): number => Array.from(stripVTControlCharacters(text)).length;

/** Cuts a line at the width. Returns a coloured line whole, since a cut could remove the code that ends the colour. */
function cutLine(text: string, width: number): string {
  if (visibleLengthOf(text) <= width || stripVTControlCharacters(text) !== text) return text;
  return `${Array.from(text)
    .slice(0, width - 1)
    .join('')}…`;
}

/** Formats a duration: `950 ms`, `12.3 s`, `4 min 05 s`. */
export function formatDuration(ms: number): string {
  if (ms < 1000) return `${Math.round(ms)} ms`;
  if (ms < 60_000) return `${(ms / 1000).toFixed(1)} s`;
  const seconds = Math.round(ms / 1000);
  return `${Math.floor(seconds / 60)} min ${String(seconds % 60).padStart(2, '0')} s`;
}

/**
 * Breaks lines longer than `width` between words; a longer word stays whole. Continuation lines get the line's own
 * indentation and `indent`. Colour codes have no width.
 */
export function wrapLines(text: string, width: number, indent = ''): string[] {
  return text.split('\n').flatMap((line) => wrapLine(line, width, indent));
}

function wrapLine(line: string, width: number, indent: string): string[] {
  if (visibleLengthOf(line) <= width) return [line];
  const indentation = /^\s*/u.exec(line)?.[0] ?? '';
  const lines: string[] = [];
  let current = indentation;
  let isEmpty = true;
  for (const word of line.slice(indentation.length).split(' ')) {
    if (!isEmpty && visibleLengthOf(current) + 1 + visibleLengthOf(word) > width) {
      lines.push(current);
      current = indentation + indent;
      isEmpty = true;
    }
    current += isEmpty ? word : ` ${word}`;
    isEmpty = false;
  }
  return [...lines, current];
}

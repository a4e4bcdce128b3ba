/** A list that is redrawn every second until the user presses `q`; without a terminal, the list is printed once. */
import { onAbort } from '../base/system/on-abort.ts';
import { sleep, systemClock } from '../base/system/clock.ts';
import { HubError } from '../hub/client/hub-error.ts';
import { toPrintableLine } from '../base/values/printable.ts';
import { CommandError, EXIT } from './exit-codes.ts';
import { runInterruptible } from './interruption.ts';
import { type ListFormat, formatTable, type Terminal } from './terminal.ts';

const REDRAW_INTERVAL_MS = 1_000;

interface ListContent<T> {
  items: readonly T[];
  list: ListFormat<T>;
}

/**
 * Prints the items that `read` returns, repeatedly with `watch`. A failure of the first read ends the command; later
 * failures are shown.
 */
export async function showList<T>(
  terminal: Terminal,
  { watch }: { watch?: boolean },
  read: () => Promise<ListContent<T>>,
): Promise<void> {
  const first = await read();
  if (!watch || !terminal.interactive) return terminal.list(first.items, first.list);
  await runInterruptible(async (interruption) => {
    const screen = openScreen();
    const stopListening = onAbort(interruption.firstSignal, screen.quit);
    try {
      await redraw(screen, terminal.color, { first, read });
    } finally {
      stopListening();
      screen.close();
    }
    return interruption.exitCode ?? EXIT.ok;
  });
}

async function redraw<T>(
  screen: Screen,
  color: Terminal['color'],
  { first, read }: { first: ListContent<T>; read: () => Promise<ListContent<T>> },
): Promise<void> {
  let { items, list } = first;
  let problem: string | undefined;
  while (!screen.quitSignal.aborted) {
    const rows = [list.titles.map((title) => color.dim(title)), ...items.map(list.row)];
    screen.draw([
      ...(problem === undefined
        ? []
        : [color.yellow(toPrintableLine(`list not updated: ${problem}`, screen.width))]),
      ...(items.length === 0 ? [list.emptyText] : formatTable(rows, screen.width, list.optionalColumns)),
      '',
      color.dim('q quits'),
    ]);
    await sleep(systemClock, REDRAW_INTERVAL_MS, screen.quitSignal);
    if (screen.quitSignal.aborted) return;
    try {
      ({ items, list } = await read());
      problem = undefined;
    } catch (error) {
      if (!(error instanceof CommandError) && !(error instanceof HubError)) throw error;
      problem = error.message;
    }
  }
}

/**
 * Control codes for the start of the list: alternate screen, no cursor, and no wrapping, so that long lines end at the
 * edge.
 */
const ENTER_SCREEN = '\u001B[?1049h\u001B[?25l\u001B[?7l';
/** Control codes that undo `ENTER`. */
const LEAVE_SCREEN = '\u001B[?7h\u001B[?25h\u001B[?1049l';
const CURSOR_HOME = '\u001B[H';
const CLEAR_LINE = '\u001B[K';
const CLEAR_BELOW = '\u001B[J';
const QUIT_KEYS = new Set(['q', 'Q', '\u0003', '\u001B']);

interface Screen {
  readonly width: number;
  /** Aborts when the user quits. */
  readonly quitSignal: AbortSignal;
  quit: () => void;
  /** Draws the lines that fit, cut at the screen's width. */
  draw(lines: readonly string[]): void;
  close(): void;
}

function openScreen(): Screen {
  const { stdin, stdout } = process;
  const quitting = new AbortController();
  const quit = () => quitting.abort();
  const onKey = (key: Buffer) => {
    if (QUIT_KEYS.has(key.toString())) quit();
  };
  let drawnLines: readonly string[] = [];
  const draw = (lines: readonly string[]) => {
    drawnLines = lines;
    const fittingLines = lines.slice(0, Math.max(1, (stdout.rows || 24) - 1));
    stdout.write(`${CURSOR_HOME}${fittingLines.map((line) => line + CLEAR_LINE).join('\n')}\n${CLEAR_BELOW}`);
  };
  const onResize = () => draw(drawnLines);
  stdout.write(ENTER_SCREEN);
  stdout.on('resize', onResize);
  if (stdin.isTTY) {
    stdin.setRawMode(true);
    stdin.on('data', onKey).resume();
  }
  return {
    get width() {
      return Math.max(40, stdout.columns || 80);
    },
    quitSignal: quitting.signal,
    quit,
    draw,
    close: () => {
      stdout.off('resize', onResize);
      if (stdin.isTTY) {
        stdin.off('data', onKey).pause();
        stdin.setRawMode(false);
      }
      stdout.write(LEAVE_SCREEN);
    },
  };
}

/** A list that is redrawn every second until `q`; without a terminal it is printed once. */
import { onAbort } from '../system/on-abort.ts';
import { sleep, systemClock } from '../system/clock.ts';
import { HubError } from '../hub-client/hub-error.ts';
import { printableLine } from '../values/printable.ts';
import { CommandError, EXIT } from './exit-codes.ts';
import { interruptible } from './interruption.ts';
import { openScreen, type Screen } from './screen.ts';
import { table, type List, type Terminal } from './terminal.ts';

const EVERY_MS = 1_000;

interface ListContent<T> {
  items: readonly T[];
  list: List<T>;
}

/**
 * Prints the items of `read`, repeatedly with `watch`. If the first read fails, the command ends; later failures are
 * shown.
 */
export async function showList<T>(
  terminal: Terminal,
  { watch }: { watch?: boolean },
  read: () => Promise<ListContent<T>>,
): Promise<void> {
  const first = await read();
  if (!watch || !terminal.interactive) return terminal.list(first.items, first.list);
  await interruptible(async (interruption) => {
    const screen = openScreen();
    const release = onAbort(interruption.first, screen.quit);
    try {
      await redraw(screen, terminal.color, { first, read });
    } finally {
      release();
      screen.close();
    }
    return interruption.code ?? EXIT.ok;
  });
}

async function redraw<T>(
  screen: Screen,
  color: Terminal['color'],
  { first, read }: { first: ListContent<T>; read: () => Promise<ListContent<T>> },
): Promise<void> {
  let { items, list } = first;
  let problem: string | undefined;
  while (!screen.quitting.aborted) {
    const rows = [list.titles.map((title) => color.dim(title)), ...items.map(list.row)];
    screen.draw([
      ...(problem === undefined
        ? []
        : [color.yellow(printableLine(`old figures: ${problem}`, screen.width))]),
      ...(items.length === 0 ? [list.none] : table(rows, screen.width)),
      '',
      color.dim('q quits'),
    ]);
    await sleep(systemClock, EVERY_MS, screen.quitting);
    if (screen.quitting.aborted) return;
    try {
      ({ items, list } = await read());
      problem = undefined;
    } catch (error) {
      if (!(error instanceof CommandError) && !(error instanceof HubError)) throw error;
      problem = error.message;
    }
  }
}

/** `top`: what a hub does right now, drawn anew every second until `q`; without a terminal once, as JSON. */
import { CommandError } from '../exit-codes.ts';
import { connectHub, type HubFlags } from '../hub-address.ts';
import { HubError } from '../../hub-client/hub-error.ts';
import { onAbort, interruptible } from '../interruption.ts';
import { createTerminal } from '../terminal.ts';
import { sleep, systemClock } from '../../system/clock.ts';
import { openScreen, type Screen } from '../top/screen.ts';
import { TopReader, type TopFigures } from '../top/read-top.ts';
import { topLines } from '../top/top-lines.ts';
import { EXIT } from '../exit-codes.ts';

const EVERY_MS = 1_000;

export async function topCommand(options: HubFlags): Promise<void> {
  const terminal = createTerminal(options.json, 'data');
  const reader = new TopReader(await connectHub(options), systemClock);
  // A hub that is not there ends the command at once; one that goes away later is waited for.
  const first = await reader.read();
  if (terminal.json || !terminal.interactive) {
    if (terminal.json) terminal.data(first);
    else
      for (const line of topLines(first, { color: terminal.color, width: terminal.width }))
        terminal.line(line);
    return;
  }
  await interruptible(async (interruption) => {
    const screen = openScreen();
    const release = onAbort(interruption.first, screen.quit);
    try {
      await redraw(screen, { reader, first, color: terminal.color });
    } finally {
      release();
      screen.close();
    }
    return interruption.code ?? EXIT.ok;
  });
}

interface Live {
  reader: TopReader;
  first: TopFigures;
  color: ReturnType<typeof createTerminal>['color'];
}

async function redraw(screen: Screen, { reader, first, color }: Live): Promise<void> {
  let figures = first;
  let problem: string | undefined;
  while (!screen.quitting.aborted) {
    const lines = topLines(figures, {
      color,
      width: screen.width,
      live: true,
      ...(problem !== undefined && { problem }),
    });
    screen.draw(lines);
    await sleep(systemClock, EVERY_MS, screen.quitting);
    if (screen.quitting.aborted) return;
    try {
      figures = await reader.read();
      problem = undefined;
    } catch (error) {
      if (!(error instanceof CommandError) && !(error instanceof HubError)) throw error;
      problem = error.message;
    }
  }
}

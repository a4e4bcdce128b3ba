/** `top`: what a hub does right now, drawn anew every second until `q`; without a terminal once, as JSON. */
import { CommandError } from '../exit-codes.ts';
import { openHub, type HubFlags } from '../hub-address.ts';
import { HubError } from '../../hub-client/hub-error.ts';
import { interruptible } from '../interruption.ts';
import { onAbort } from '../../system/on-abort.ts';
import type { Terminal } from '../terminal.ts';
import { sleep, systemClock } from '../../system/clock.ts';
import { openScreen, type Screen } from '../top/screen.ts';
import { TopReader, type TopFigures } from '../top/read-top.ts';
import { topLines } from '../top/top-lines.ts';
import { EXIT } from '../exit-codes.ts';

const EVERY_MS = 1_000;

export async function topCommand(options: HubFlags): Promise<void> {
  const { terminal, client } = await openHub(options);
  const reader = new TopReader(client, systemClock);
  // A hub that is not there ends the command at once; one that goes away later is waited for.
  const first = await reader.read();
  if (terminal.json) return terminal.data(first);
  if (!terminal.interactive) return topLines(first, terminal).forEach((line) => terminal.line(line));
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
  color: Terminal['color'];
}

async function redraw(screen: Screen, { reader, first, color }: Live): Promise<void> {
  let figures = first;
  let problem: string | undefined;
  while (!screen.quitting.aborted) {
    screen.draw(topLines(figures, { color, width: screen.width, live: true, problem }));
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

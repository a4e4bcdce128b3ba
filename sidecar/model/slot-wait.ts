/** The time that one call waits for a slot of its server: measured, and told on the timeline once it is worth a word. */
import type { ChatCall, Clock } from '../ports.ts';
import type { Narration } from './narration.ts';

/** A shorter wait is not told. */
const TELL_AFTER_MS = 2_000;
const SLOT_TEXT = 'Waiting for a slot of the model server';

export type OnSlot = NonNullable<ChatCall['onSlot']>;

/** `end` gives the milliseconds that were waited, also where the call ended before it had a slot. */
export function slotWait(clock: Clock, narration: Narration): { onSlot: OnSlot; end: () => number } {
  let sinceMs: number | undefined;
  let waitedMs = 0;
  let stop = (): void => undefined;
  const end = (): number => {
    stop();
    if (sinceMs !== undefined) waitedMs += clock.monotonicMs() - sinceMs;
    sinceMs = undefined;
    return waitedMs;
  };
  const tell = (): void => {
    narration.passing(SLOT_TEXT);
    stop = narration.waiting(SLOT_TEXT);
  };
  return {
    onSlot: (state) => {
      end();
      if (state === 'given') return;
      sinceMs = clock.monotonicMs();
      stop = clock.schedule(TELL_AFTER_MS, tell);
    },
    end,
  };
}

/** Says `text` again and again while the server works on a call, not while the call waits for a slot. */
export function tellWork(
  narration: Narration,
  text: string,
  onSlot?: OnSlot,
): { onSlot: OnSlot; stop: () => void } {
  let stop = narration.waiting(text);
  return {
    onSlot: (state) => {
      onSlot?.(state);
      stop();
      if (state === 'given') stop = narration.waiting(text);
    },
    stop: () => stop(),
  };
}

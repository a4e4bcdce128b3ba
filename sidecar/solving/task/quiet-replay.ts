/** What a task that is resumed shows while it comes to where it was. */
import type { Clock, OnProgress } from '../../base/ports.ts';
import { STATUS_INTERVAL_MS } from '../../base/protocol/limits.ts';
import type { Journal } from './journal.ts';

const TEXT = 'Going on after an interruption: answers are known, commands run again';

/** Passes events on once the known answers are used up: what they led to is on the timeline already. Until then it shows signs of life. */
export function quietReplay(
  emit: OnProgress,
  journal: Journal,
  clock: Pick<Clock, 'monotonicMs'>,
): OnProgress {
  let shownMs = -Infinity;
  return (event) => {
    if (!journal.isReplaying || event.on_hold !== undefined) return emit(event);
    const nowMs = clock.monotonicMs();
    if (nowMs - shownMs < STATUS_INTERVAL_MS) return;
    shownMs = nowMs;
    emit({ event_type: 'status', text: TEXT, droppable: true });
  };
}

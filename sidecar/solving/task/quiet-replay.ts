/** Filters the events of a resumed task while it replays its journal. */
import type { Clock, OnProgress } from '../../base/ports.ts';
import { STATUS_INTERVAL_MS } from '../../base/protocol/limits.ts';
import type { TaskControl } from './task-control.ts';

const RESUME_TEXT = 'Resuming after an interruption: recorded answers are reused, commands run again';

/**
 * Returns an emitter that forwards events only after the replay, since the timeline already contains those of the earlier run. During the
 * replay it emits a status from time to time.
 */
export function muteReplay(
  emit: OnProgress,
  { journal }: Pick<TaskControl, 'journal'>,
  clock: Pick<Clock, 'monotonicMs'>,
): OnProgress {
  let shownMs = -Infinity;
  return (event) => {
    if (!journal.isReplaying || event.on_hold !== undefined) return emit(event);
    const nowMs = clock.monotonicMs();
    if (nowMs - shownMs < STATUS_INTERVAL_MS) return;
    shownMs = nowMs;
    emit({ event_type: 'status', text: RESUME_TEXT, droppable: true });
  };
}

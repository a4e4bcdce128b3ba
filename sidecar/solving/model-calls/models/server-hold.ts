/**
 * Puts a task on hold while no model server can answer it: shows this on the timeline and pauses the task's wall clock, in total for at
 * most `limits.holdTimeoutMs`. Afterwards the call is repeated.
 */
import { onAbort } from '../../../base/system/on-abort.ts';
import { cannotLoadModel, isServerUnable } from '../../../model/servers/server-health.ts';
import type { TaskServer } from '../../../model/servers/task-server.ts';
import type { ServerHold } from '../../../model/retry.ts';
import type { TaskRun } from '../../task/task-run.ts';

/**
 * Maximum consecutive failures of one call on a server that answers probes. After more of them, the server counts as unable to handle the
 * call, not as down. With the pauses between them, they take about five minutes.
 */
const MAX_FAILURES_IN_ROW = 10;

type HoldableRun = Pick<TaskRun, 'control' | 'clock' | 'config' | 'emit' | 'logger'> & {
  workspace: { base: Pick<TaskRun['workspace']['base'], 'listChangedPaths'> };
};

/** One wait for a server, shared by parallel calls. */
interface SharedWait {
  callCount: number;
  readonly outcome: Promise<boolean>;
  /** Ends the wait, because no call needs it any more. */
  end(): void;
}

/**
 * Returns a function that waits for a server and resolves to true if the task may continue, to false when `signal` aborts. Parallel calls
 * share one `waitOnce`, which ends with the last of them.
 */
function shareWaits(
  waitOnce: (abandoned: AbortSignal) => Promise<boolean>,
): (signal?: AbortSignal) => Promise<boolean> {
  let current: SharedWait | undefined;
  const start = (): SharedWait => {
    const abandoned = new AbortController();
    const forget = (): void => {
      if (current === shared) current = undefined;
    };
    const end = (): void => {
      forget();
      abandoned.abort();
    };
    const shared: SharedWait = { callCount: 0, outcome: waitOnce(abandoned.signal).finally(forget), end };
    return shared;
  };
  return (signal) =>
    new Promise((resolve, reject) => {
      if (signal?.aborted) return resolve(false);
      const shared = (current ??= start());
      shared.callCount += 1;
      const leave = (): void => {
        shared.callCount -= 1;
        if (shared.callCount === 0) shared.end();
        resolve(false);
      };
      const unlisten = onAbort(signal, leave);
      shared.outcome.then(resolve, reject).finally(unlisten);
    });
}

/** Creates the hold that pauses a task while no model server can answer it. */
export function createServerHold(
  run: HoldableRun,
  server: Pick<
    TaskServer,
    'downReason' | 'hasAlternative' | 'attributeFailure' | 'recordAnswer' | 'waitUntilUp'
  >,
): ServerHold {
  const { control, clock, config, emit, logger } = run;
  let leftMs = config.limits.holdTimeoutMs;
  let failuresInRow = 0;
  let hasAnswered = false;
  const waitOnce = async (abandoned: AbortSignal): Promise<boolean> => {
    const startedMs = clock.monotonicMs();
    const resume = control.pauseWallClock();
    const hold = { sinceMs: startedMs, hasChangedNothing: () => hasChangedNothing(run) };
    control.hold = hold;
    const timeout = new AbortController();
    const cancel = clock.schedule(leftMs, () => timeout.abort());
    const reason = server.downReason ?? 'it failed';
    const holdText = `waiting for the model server (${reason})`;
    emit({ event_type: 'status', text: `On hold: ${holdText}`, on_hold: holdText });
    logger.info({ reason }, 'A task is on hold');
    await server.waitUntilUp(AbortSignal.any([control.stopping, timeout.signal, abandoned]));
    cancel();
    resume();
    if (control.hold === hold) control.hold = undefined;
    const heldMs = clock.monotonicMs() - startedMs;
    const hasTimedOut = timeout.signal.aborted;
    leftMs = hasTimedOut ? 0 : leftMs - heldMs;
    if (control.stopReason !== undefined) return false;
    if (abandoned.aborted) {
      emit({ event_type: 'status', text: 'The task no longer needs the model server', on_hold: '' });
      return false;
    }
    const seconds = Math.round(heldMs / 1000);
    const text = hasTimedOut
      ? `The model server did not answer within ${seconds} s (limits.holdTimeoutMs)`
      : `The model server answers again after ${seconds} s. The task continues`;
    emit({ event_type: 'status', text, on_hold: '' });
    logger.info(
      { held_ms: Math.round(heldMs) },
      hasTimedOut ? 'A task on hold fails: no model server answered in time' : 'A task on hold continues',
    );
    return !hasTimedOut;
  };

  const wait = shareWaits(waitOnce);
  return {
    async waitUntilReady(signal) {
      if (server.downReason !== undefined && leftMs > 0) await wait(signal);
    },
    async waitForRecovery(failure, isLast, signal) {
      if (leftMs <= 0 || control.stopReason !== undefined) return false;
      if (!isLast && isServerUnable(failure) && !server.hasAlternative) return false;
      if (failure.code === 'model_server_error') failuresInRow += 1;
      if (failuresInRow > MAX_FAILURES_IN_ROW || !(await server.attributeFailure(failure))) return false;
      // Another server can be asked.
      if (server.downReason === undefined) return true;
      // A model that was never loaded here may need more memory than the machine has. A task that already has answers waits for free
      // memory.
      return (hasAnswered || !cannotLoadModel(failure)) && wait(signal);
    },
    recordAnswer() {
      failuresInRow = 0;
      hasAnswered = true;
      server.recordAnswer();
    },
  };
}

async function hasChangedNothing({ workspace, control }: HoldableRun): Promise<boolean> {
  // A resumed task has recorded answers. Another worker would have to pay for them again.
  if (control.journal.isReplaying) return false;
  const changed = await workspace.base.listChangedPaths();
  return changed.ok && changed.value.length === 0;
}

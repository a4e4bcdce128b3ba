/**
 * Opens the run of a task and lets the executor add what solves it. What fails here ended the task before anything was
 * done; what was opened until then is closed again.
 */
import { CleanupStack } from '../../system/cleanup-stack.ts';
import { isCodedError } from '../../values/errors.ts';
import type { Opened, OpenedRun } from '../../solve/attempt.ts';
import type { Route } from '../routing.ts';
import type { ExecutorSettings } from './executor-settings.ts';
import { openRun, type RunRequest } from './open-run.ts';

/** Rejects only for bugs. */
export async function openAttempt(
  settings: ExecutorSettings,
  request: RunRequest,
  solveWith: (opened: OpenedRun) => Promise<Opened>,
): Promise<Opened> {
  const opened = new CleanupStack();
  try {
    const run = await openRun(settings, request, opened);
    const attempt = await solveWith({ run, onClose: (closer) => opened.add(closer), close: opened.close });
    if (!attempt.ok) await opened.close();
    return attempt;
  } catch (error) {
    await opened.close();
    // A folder that is not there, a sandbox that is required and missing.
    if (isCodedError(error)) return failed(`${error.code}: ${error.message}`);
    throw error;
  }
}

/** A task that this executor does not run; the hub may route it elsewhere. */
export function refused(route: Route): Opened {
  const targetType = route.kind === 'unsupported' ? route.targetType : targetOf(route.kind);
  return failed(`unsupported_target_type:${targetType}`);
}

const targetOf = (kind: Exclude<Route['kind'], 'unsupported'>): string =>
  kind === 'shell' ? 'sidecar' : 'ollama';

const failed = (detail: string): Opened => ({
  ok: false,
  ending: { reason: 'model_error', detail },
  model: '',
});

/*
 * Why work ended, in words: made by npm run docs from protocol/result.ts and hub/queue/attempts.ts.
 */

/** @type {Record<string, string>} */
export const endings = {
  final_answer: 'the model gave a final answer',
  exit_code: 'the command ended',
  max_iterations: 'the iteration limit was reached',
  repetition: 'the model repeated the same calls',
  stall: 'the model made no progress',
  nudge_exhausted: 'the model gave no usable answer',
  malformed_output: 'the answers of the model could not be parsed',
  timeout: 'the time limit was reached',
  budget_exhausted: 'the budget was exhausted',
  cancelled: 'the task was cancelled',
  context_exhausted: 'the conversation no longer fits into the window of the model',
  model_error: 'the model server failed',
  shutdown: 'the worker was stopped',
};

/** @type {Record<string, string>} */
export const attemptEndings = {
  success: 'success',
  partial: 'a partial result',
  failed: 'the attempt failed',
  cancelled: 'the task was cancelled',
  given_back: 'the worker returned the task',
  worker_lost: 'the connection to the worker was lost',
  lease_expired: 'the worker sent no heartbeat',
  not_accepted: 'the worker did not accept the task',
};

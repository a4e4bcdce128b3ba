/*
 * Why work ended, in words: made by npm run docs from protocol/result.ts and hub/queue/attempts.ts.
 */

/** @type {Record<string, string>} */
export const endings = {
  final_answer: 'the model gave a final answer',
  exit_code: 'the command ended',
  max_iterations: 'it used up its iterations',
  repetition: 'the model repeated the same calls',
  stall: 'the model made no progress',
  nudge_exhausted: 'the model gave no further answer',
  malformed_output: 'the answers of the model could not be read',
  timeout: 'it ran out of time',
  budget_exhausted: 'it used up its budget',
  cancelled: 'it was cancelled',
  context_exhausted: 'the conversation no longer fits into the window of the model',
  model_error: 'the model server failed',
  shutdown: 'the worker was stopped',
};

/** @type {Record<string, string>} */
export const attemptEndings = {
  success: 'success',
  partial: 'a partial result',
  failed: 'it failed',
  cancelled: 'it was cancelled',
  given_back: 'the worker gave it back',
  worker_lost: 'the worker’s connection was lost',
  lease_expired: 'the worker went silent',
  not_accepted: 'the worker did not accept it',
};

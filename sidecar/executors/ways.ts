/**
 * The ways in which a model solves a task. A new one is a folder and a line here (and in `routing.ts`, where a task can
 * ask for it). Each gets the run of the task and its models and gives `{ run(), correct?() }`; checks, corrective rounds
 * and the result are `executeWithVerification`'s. What of it needs no model may begin while the model is loaded.
 *
 * A way may do its work in several stages, and may hand over to another way: one that prepares the ground for the loop
 * calls `agentLoop(run, models, { firstMessage })` at its end and returns its answers. What such a stage uses:
 * - `questionStage(name, …)` with `askAndRecord(stage, round)` asks without tools, as often as there are rounds. Limits
 *   and ledger are checked before each call; answers are in the journal under `name`. `sampling` sets temperature and
 *   seed of a round.
 * - `checkTree(run, stage, { state })` runs the task's checks on the base, the last commit or the files as they are now, and
 *   keeps the report in the journal; with `change` it tries a change there.
 * - `agentLoop`'s `checks` lets the loop run the checks between its rounds, and its `firstMessage` may name the files
 *   that it shows, which then count as read.
 * - `agentLoop`'s `firstMessage` and `name` begin the loop with a prepared message, and keep several loops of one task
 *   apart.
 */
import { ladder } from '../solve/ladder.ts';
import type { WayName } from './routing.ts';
import { singleShot } from './single-shot/single-shot.ts';
import { withModels, type OpenWay } from '../solve/way-of-solving.ts';

export const WAYS: Readonly<Record<WayName, () => Promise<OpenWay>>> = {
  simple: () => Promise.resolve(withModels(singleShot)),
  agentic: () => Promise.resolve(ladder),
  // Few tasks are planned, and reading plans takes a YAML parser.
  planned: async () => withModels((await import('./planned/planned.ts')).planned),
};

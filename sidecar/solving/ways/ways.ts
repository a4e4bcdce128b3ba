/**
 * Lists the ways in which a model solves a task. To add a way, add a folder, a line here and a line in `routing.ts`, where a task can ask
 * for it. A way is opened for an attempt and returns `{ run(), correct?() }`. `solve` does the rest: checks, corrective rounds, attempts
 * and the result.
 *
 * A way may work in several stages, and may end with another way. To end with the loop, it runs `new AgentLoop(run, model, { firstMessage
 * })`. Its stages can use:
 * - `openQuestion({ name, … }, question)` and `ask(stage, round)`, to ask without tools, once for each round. Limits and ledger are checked
 *   before each call. `name` and round identify a question of the task. `sampling` sets temperature and seed of a round.
 * - `runTaskChecks(run, { state })`, to run the task's checks on the base, the last commit or the present files, unless a report of these
 *   files is recorded. `change` tries a change there.
 * - `loadBaseReport` of the loop, which lets it run the checks between its rounds. `firstMessage` may name the files that it shows; they
 *   then count as read. `name` distinguishes the loops of one task.
 */
import { agentic } from './agentic.ts';
import type { ModelWay } from '../solve/way.ts';
import { openPlannedWay } from './planned/planned.ts';
import type { WayName } from './routing.ts';
import { openSingleShotWay } from './single-shot.ts';

export const WAYS: Readonly<Record<WayName, ModelWay>> = {
  simple: { open: openSingleShotWay },
  agentic,
  planned: { open: openPlannedWay },
};

/**
 * The ways in which a model solves a task. A new way is a folder and a line here, and in `routing.ts`, where a task can ask
 * for it. A way is opened for an attempt and returns `{ run(), correct?() }`. `solve` does the rest: checks, corrective
 * rounds, attempts and the result.
 *
 * A way may work in several stages, and may end with another way: to end with the loop, it runs
 * `new AgentLoop(run, model, { firstMessage })`. Its stages can use:
 * - `openQuestion({ name, … }, question)` with `ask(stage, round)` asks without tools, once for each round. Limits and ledger
 *   are checked before each call; the answers are in the journal under `name`. `sampling` sets temperature and seed of a round.
 * - `runTaskChecks(run, { state })` runs the task's checks on the base, the last commit or the present files, unless there is
 *   a recorded report of these files. `change` tries a change there.
 * - The loop's `base` lets it run the checks between its rounds. Its `firstMessage` may name the files that it shows, which
 *   then count as read. Its `name` distinguishes the loops of one task.
 */
import { agentic } from './agentic.ts';
import type { ModelWay } from '../solve/way.ts';
import { planned } from './planned/planned.ts';
import type { WayName } from './routing.ts';
import { singleShot } from './single-shot.ts';

export const WAYS: Readonly<Record<WayName, ModelWay>> = {
  simple: { open: singleShot },
  agentic,
  planned: { open: planned },
};

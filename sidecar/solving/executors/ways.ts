/**
 * The ways in which a model solves a task. A new one is a folder and a line here (and in `routing.ts`, where a task can
 * ask for it). Each is opened for an attempt and gives `{ run(), correct?() }`; checks, corrective rounds, attempts and the
 * result are `solve`'s.
 *
 * A way may do its work in several stages, and may hand over to another way: one that prepares the ground for the loop
 * runs `new AgentLoop(run, model, { firstMessage })` at its end. What such a stage uses:
 * - `openQuestion({ name, … }, question)` with `ask(stage, round)` asks without tools, as often as there are
 *   rounds. Limits and ledger are checked before each call; the answers are in the journal under `name`.
 *   `sampling` sets temperature and seed of a round.
 * - `runTaskChecks(run, { state })` runs the task's checks on the base, the last commit or the files as they are now, unless
 *   they have seen these files; with `change` it tries a change there.
 * - The loop's `base` lets it run the checks between its rounds, its `firstMessage` may name the files that it shows,
 *   which then count as read, and its `name` keeps several loops of one task apart.
 */
import { agentic } from '../solve/agentic.ts';
import type { ModelWay } from '../solve/way.ts';
import { planned } from './planned/planned.ts';
import type { WayName } from './routing.ts';
import { singleShot } from './single-shot.ts';

export const WAYS: Readonly<Record<WayName, ModelWay>> = {
  simple: { open: singleShot },
  agentic,
  planned: { open: planned },
};

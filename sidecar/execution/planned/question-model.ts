/** Which model answers the questions before and after the steps. */
import { Checkpoint } from '../journal/checkpoint.ts';
import type { ReadyModel } from '../models/ready-model.ts';
import type { PlannedTask } from './planned-task.ts';

/**
 * The model that the catalogue names for `kind`. `lived`: the journal has the answer of stage `name`; no other model is
 * loaded for it then.
 */
export async function questionModel(
  { run, models }: PlannedTask,
  name: string,
  kind: 'planning' | 'summary',
): Promise<{ model: ReadyModel; lived: boolean }> {
  const lived = new Checkpoint(run.journal, name).hasAnswer(1);
  return { model: lived ? models.own : await models.forStage(kind), lived };
}

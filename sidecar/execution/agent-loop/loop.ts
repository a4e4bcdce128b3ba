/**
 * The ReAct loop: check limits → ask the model → read the answer → run the tools → record. A free function over a stage;
 * it ends in one place with one of a closed set of reasons, and it lives through journaled rounds the same way as
 * through new ones.
 */
import { steerMessage } from '../../prompt/loop-messages.ts';
import { ask } from '../asking/ask.ts';
import { seedOf } from '../asking/seed.ts';
import type { Ending } from '../task/ending.ts';
import { actOn } from './act-on-answer.ts';
import { newLoopState, tell, type LoopStage, type LoopState } from './loop-stage.ts';
import { readAnswer } from './read-answer.ts';

/** Still low enough for calls that can be read. */
const STUCK_TEMPERATURE = 0.7;

/** Runs a stage until it ends; what it used is added to the totals of the run. Rejects only for bugs and a failing disk. */
export async function runLoop(stage: LoopStage): Promise<Ending> {
  const state = newLoopState(stage);
  state.changes.begin();
  for (;;) {
    const ending = await runRound(stage, state);
    stage.run.observer?.roundEnded();
    if (ending) {
      announceEnding(stage, ending);
      return ending;
    }
  }
}

async function runRound(stage: LoopStage, state: LoopState): Promise<Ending | undefined> {
  state.round += 1;
  const texts = stage.checkpoint.steering(state.round, () => stage.run.control.takeSteering());
  for (const text of texts) tell(stage, state, steerMessage(text));
  const asked = await ask(sampled(stage, state), state.round);
  state.isStuck = false;
  if (!asked.ok) return asked.ending;
  const { answer } = asked;
  const parsed = readAnswer(stage, answer.reply, { isFirstTry: state.malformedInRow === 0 });
  return actOn(stage, state, answer, parsed);
}

/**
 * The stage as its next answer is drawn: otherwise where the model is likely to say the same again, for after a refusal or
 * a repetition a small one seldom finds out by itself.
 */
function sampled(stage: LoopStage, { round, isStuck }: LoopState): LoopStage {
  const { sampling, firstSampling } = stage;
  if (isStuck) {
    const seed = seedOf(stage.run, round);
    return { ...stage, sampling: { ...sampling, temperature: STUCK_TEMPERATURE, seed } };
  }
  return round === 1 && firstSampling ? { ...stage, sampling: firstSampling } : stage;
}

/** A forced stop is said aloud, in the log and on the timeline. */
function announceEnding({ run, checkpoint }: LoopStage, ending: Ending): void {
  if (ending.reason === 'final_answer') return;
  const text = `Stopped: ${ending.detail ?? ending.reason}`;
  run.logger.warn({ termination_reason: ending.reason, stage: checkpoint.stage }, text);
  run.emit({ event_type: 'status', text });
}

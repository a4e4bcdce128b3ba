/** What the drafts of a task are drawn with. */
import type { SolvingProfile } from '../model/catalog-schema.ts';
import type { VerificationReport } from '../protocol/result.ts';
import type { ReadyModel } from '../asking/models/ready-model.ts';
import type { TaskRun } from '../task/task-run.ts';

export interface DraftsOptions {
  run: TaskRun;
  model: ReadyModel;
  solving: Pick<SolvingProfile, 'strategy' | 'drafts' | 'repairs' | 'form'>;
  /** The question; made once, a resumed task has it in its journal. */
  question: () => Promise<string>;
  /** How much the question shows; an answer needs to be little longer. */
  shownTokens: number;
  /** Paths that the question shows, most relevant first. */
  shown: readonly string[];
  /** What the checks say of the base; undefined where there are none. Slow ones are awaited with the first answer. */
  base: Promise<VerificationReport | undefined>;
  /** Tests and scripts of the checks stay as they are. */
  mayChange: (path: string) => boolean;
}

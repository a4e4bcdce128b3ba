/**
 * The two short kinds of attempts: a simple task (one streamed answer, gone on with after failed checks) and a shell
 * task (a command, which nothing can correct).
 */
import type { TaskJournal } from '../ports.ts';
import { buildTaskMessage } from '../prompt/task-message.ts';
import type { AskContext } from './ask.ts';
import type { Attempt } from './attempt.ts';
import { Checkpoint } from './checkpoint.ts';
import type { Ending } from './ending.ts';
import { Conversation } from './conversation.ts';
import { runShellTask, type ShellRun } from './shell-executor.ts';
import { runSingleShot } from './single-shot.ts';

type Parts = Pick<Attempt, 'workspace' | 'env' | 'close'>;

export function simpleAttempt(
  base: Omit<AskContext, 'conversation' | 'checkpoint'>,
  { workspace, env, close }: Parts,
  journal: TaskJournal | undefined,
): Attempt {
  const conversation = Conversation.plain(simpleMessage(base));
  const ask = (stage: string) =>
    runSingleShot({ ...base, conversation, checkpoint: new Checkpoint(journal, stage) });
  return {
    workspace,
    env,
    close,
    clock: base.clock,
    control: base.control,
    limits: base.limits,
    totals: base.totals,
    model: base.model,
    journal,
    run: () => ask('run'),
    correct: (message, number) => {
      conversation.add({ role: 'user', content: message });
      return ask(`correct-${number}`);
    },
  };
}

/** A task that comes with nothing but its words is sent as it is. */
function simpleMessage({ task, session }: Omit<AskContext, 'conversation' | 'checkpoint'>): string {
  const bare =
    !task.repo &&
    task.success_criteria.length === 0 &&
    task.file_hints.length === 0 &&
    task.verification_steps.length === 0;
  return bare ? task.description : buildTaskMessage(task, { windowTokens: session.windowTokens });
}

export function shellAttempt(
  run: ShellRun,
  parts: Parts & Pick<Attempt, 'limits' | 'totals' | 'clock' | 'journal'>,
): Attempt {
  return {
    ...parts,
    control: run.control,
    model: '',
    run: async (): Promise<Ending> => {
      parts.totals.iterations = 1;
      return runShellTask(run, new Checkpoint(parts.journal, 'run'));
    },
  };
}

/** Builds the first message of a conversation. */
import type { ChatMessage } from '../../model/chat.ts';
import { gatherContext } from '../prompt/gather-context.ts';
import { buildTaskMessage } from '../prompt/task-message.ts';
import type { ReadyModel } from './models/task-models.ts';
import type { TaskRun } from '../task/task-run.ts';
import type { RunObserver } from '../run-ports.ts';

/**
 * Builds the message for the task: its description, criteria and checks, and the layout of the workspace. `hasBrief`: the message follows a
 * brief of the workspace. `isBare`: the checks precede it as well, and no tool needs the path of the workspace.
 */
export async function composeTaskMessage(
  run: TaskRun,
  { session, estimator }: ReadyModel,
  { hasBrief = false, isBare = false } = {},
): Promise<string> {
  const { task, env, config, workspace } = run;
  const context = await gatherContext(task, env, {
    ...config.prompt,
    tree: !hasBrief,
    depthBelowRoot: workspace.subfolder?.split('/').length,
  });
  const names = (context.skills ?? []).map(({ name }) => name);
  if (names.length > 0) run.emit({ event_type: 'status', text: `Skills for this task: ${names.join(', ')}` });
  const message = buildTaskMessage(task, {
    ...context,
    isBriefed: isBare,
    branch: workspace.branch,
    notes: workspace.notes,
    hasEarlierWork: workspace.hasEarlierWork,
    windowTokens: session.windowTokens,
    charsPerToken: estimator.charsPerToken,
  });
  return [message, run.attempt?.earlierSummary].filter(Boolean).join('\n\n');
}

/** Records the messages before the first answer in the session log. */
export function recordOpening(messages: readonly ChatMessage[], observer: RunObserver | undefined): void {
  for (const { role, content } of messages)
    observer?.recordMessage(role === 'system' ? 'SYSTEM' : 'USER', content);
}

/** The first message to a model, and the files that it shows. */
export interface FirstMessage {
  text: string;
  shownFiles?: readonly ShownFile[];
}

export interface ShownFile {
  path: string;
  isWhole: boolean;
}

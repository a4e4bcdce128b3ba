/** How a conversation with tools opens. */
import type { ChatMessage } from '../../model/chat.ts';
import { gatherContext } from '../prompt/gather-context.ts';
import { buildTaskMessage } from '../prompt/task-message.ts';
import type { RunObserver } from '../../base/ports.ts';
import type { ReadyModel } from './models/task-models.ts';
import type { TaskRun } from '../task/task-run.ts';

/**
 * The task's own message: its words, criteria and checks, and what the workspace looks like. `hasBrief`: a brief of the
 * workspace stands before it. `isBare`: so do the checks, and no tool needs to know where it is.
 */
export async function taskMessage(
  run: TaskRun,
  { session, estimator }: ReadyModel,
  { hasBrief = false, isBare = false } = {},
): Promise<string> {
  const { task, env, config, workspace } = run;
  const context = await gatherContext(task, env, {
    ...config.prompt,
    tree: !hasBrief,
    foldersAbove: workspace.subfolder?.split('/').length,
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
  return [message, run.attempt?.earlier].filter(Boolean).join('\n\n');
}

/** Records the messages of a conversation before the first answer. */
export function recordOpening(messages: readonly ChatMessage[], observer: RunObserver | undefined): void {
  for (const { role, content } of messages) observer?.said(role === 'system' ? 'SYSTEM' : 'USER', content);
}

/** The first message to a model, and the files that it sees there. */
export interface FirstMessage {
  text: string;
  shown?: readonly ShownFile[];
}

export interface ShownFile {
  path: string;
  isWhole: boolean;
}

/** `show`: lists the tasks that ran on this machine; with an id, shows the result, messages or costs of a task, also from a hub. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseChatLog, type ChatEntry } from '../../solving/session/chat-log.ts';
import { CHAT_LOG } from '../../solving/session/session.ts';
import { hasEnded } from '../../hub/client/hub-client.ts';
import { toPrintable } from '../../base/values/printable.ts';
import { quoteShellWord } from '../../base/values/shell-word.ts';
import { resolveWorkerFolders } from '../../worker/folders.ts';
import { createUsageError } from '../exit-codes.ts';
import type { HubFlags } from '../hub-address.ts';
import { paintStatus } from '../paint-status.ts';
import { deliveryOf, listPastTasks, statusOf, timeOf, pastTaskViewOf, type PastTask } from '../past-tasks.ts';
import { showResult } from '../result-view.ts';
import { loadSettings, type CommandFlags } from '../settings.ts';
import { showSpending, type SpendingQuery } from '../spending.ts';
import { lookUpTask } from '../task-lookup.ts';
import { createTerminal, formatDuration, type Terminal } from '../terminal.ts';

interface ShowOptions extends CommandFlags, HubFlags {
  limit: number;
  messages?: boolean;
  costs?: SpendingQuery['by'];
  days: number;
  diff?: boolean;
}

export async function showCommand(taskName: string | undefined, options: ShowOptions): Promise<void> {
  const terminal = createTerminal(options.json, 'data');
  const { config } = await loadSettings(options);
  const { sessionsDir, cacheDir } = resolveWorkerFolders(config.worker);
  const { costs: by, days } = options;
  if (taskName === undefined) {
    if (by) return showSpending(terminal, config, { by, days });
    const tasks = await listPastTasks(config, options.limit);
    if (terminal.json) terminal.data(tasks.map((task) => pastTaskViewOf(task, sessionsDir)));
    else if (tasks.length > 0) showTasks(terminal, tasks);
    else
      terminal.prose(
        `No task has run on this machine yet (state folder: ${resolveWorkerFolders(config.worker).stateDir}).`,
      );
    return;
  }
  const located = await lookUpTask(config, taskName, options);
  const taskId = 'local' in located ? located.local.taskId : located.remote.task_id;
  if (by) return showSpending(terminal, config, { by, days, taskId });
  if ('local' in located) return showTask(terminal, located.local, { sessionsDir, cacheDir }, options);
  if (options.messages) throw createNoMessagesError(taskId);
  const { remote: task } = located;
  if (hasEnded(task.status) || terminal.json) return showResult(terminal, task, { diff: options.diff });
  const waitText = task.waiting_for ? `, waits for ${toPrintable(task.waiting_for)}` : '';
  terminal.prose(`${paintStatus(terminal.color, task.status)}${waitText}: ${toPrintable(task.title)}`);
  terminal.line(`  follow it:  ollama-sidecar watch ${quoteShellWord(toPrintable(taskId))}`);
}

const createNoMessagesError = (taskId: string) =>
  createUsageError(
    'task_unknown',
    `The messages of task ${taskId} are not on this machine: run this command on the machine of its worker.`,
  );

function showTasks({ color, table }: Terminal, tasks: readonly PastTask[]): void {
  const lines = tasks.map((task) => {
    const { taskId, session } = task;
    return [
      toPrintable(taskId) || '–',
      paintStatus(color, statusOf(task)),
      new Date(timeOf(task)).toISOString().slice(0, 19).replace('T', ' '),
      session?.end ? formatDuration(Date.parse(session.end) - Date.parse(session.start)) : '–',
      session ? `${session.tokens_in + session.tokens_out}` : '–',
      toPrintable(session?.model ?? '') || '–',
      toPrintable(deliveryOf(task)),
    ];
  });
  table(lines, ['TASK', 'STATUS', 'ENDED (UTC)', 'TOOK', 'TOKENS', 'MODEL', 'HUB'], ['HUB', 'MODEL']);
}

async function showTask(
  terminal: Terminal,
  task: PastTask,
  { sessionsDir, cacheDir }: { sessionsDir: string; cacheDir: string },
  { messages: isFull, diff }: ShowOptions,
): Promise<void> {
  const { taskId, historyRow, session } = task;
  if (isFull && !session) throw createNoMessagesError(taskId);
  // A worker that was killed right after it created the session's folder has left no log.
  const log =
    session && isFull ? await readFile(join(sessionsDir, session.id, CHAT_LOG), 'utf8').catch(() => '') : '';
  const messages = parseChatLog(log);
  if (terminal.json) {
    const messageRows = messages.map(({ atMs, type, text }) => ({ at: atMs, type, text }));
    return terminal.data({ ...pastTaskViewOf(task, sessionsDir), ...(isFull && { messages: messageRows }) });
  }
  showTasks(terminal, [task]);
  if (session) terminal.prose(`  session ${join(sessionsDir, session.id)}`, '');
  for (const entry of messages) showEntry(terminal, entry);
  if (!historyRow || isFull) return;
  const { outcome, result, error, finishedAtMs } = historyRow;
  const detail = { task_id: taskId, title: taskId, status: outcome, created_at: finishedAtMs, result, error };
  const showCommandLine = `ollama-sidecar show ${quoteShellWord(toPrintable(taskId))} --json`;
  await showResult(terminal, detail, {
    diff,
    cacheDir,
    continueWith: `${showCommandLine} | jq .result.follow_up | ollama-sidecar run --file -`,
  });
}

function showEntry({ line, prose, color }: Terminal, { atMs, type, text }: ChatEntry): void {
  line();
  line(`${color.cyan(type)} ${color.dim(new Date(atMs).toISOString())}`);
  for (const messageLine of toPrintable(text).split('\n')) prose(`  ${messageLine}`, '');
}

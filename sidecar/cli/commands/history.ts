/**
 * `history`: the tasks that ended on this machine, by the worker and by `run`, and the result of one of them, also where its
 * hub refused it. Reads beside a running worker.
 */
import { readHistory, type HistoryRow } from '../../storage/history.ts';
import { MOOT } from '../../storage/outbox.ts';
import { printable } from '../../values/printable.ts';
import { shellWord } from '../../values/shell-word.ts';
import { workerFolders } from '../../worker/folders.ts';
import { usageError } from '../exit-codes.ts';
import { paintStatus } from '../paint-status.ts';
import { showResult } from '../result-view.ts';
import { loadSettings, type CommandFlags } from '../settings.ts';
import { stateFolders } from '../state-folders.ts';
import { createTerminal, type Terminal } from '../terminal.ts';

/** Why a hub did not take a result, by the reason that it gave. */
const REFUSALS: Record<string, string> = {
  stale_generation: 'the hub had given the task out again by then',
  assigned_again: 'the hub gave the task out again',
  invalid_state: 'for the hub the task had ended by then',
  not_found: 'the hub does not know the task',
  validation_failed: 'the hub could not read it',
};

export async function historyCommand(
  named: string | undefined,
  options: CommandFlags & { limit: number },
): Promise<void> {
  const terminal = createTerminal(options.json, 'data');
  const { config } = await loadSettings(options);
  const { stateDir } = workerFolders(config.worker);
  const taskId = named === 'last' ? undefined : named;
  const limit = named === undefined ? options.limit : 1;
  const folders = await stateFolders(stateDir);
  const rows = folders
    .flatMap((folder) =>
      readHistory(folder, { limit, results: named !== undefined, ...(taskId !== undefined && { taskId }) }),
    )
    .sort((a, b) => b.finishedAtMs - a.finishedAtMs)
    .slice(0, limit);
  if (named !== undefined) {
    const [row] = rows;
    if (row) return showOne(terminal, row);
    throw usageError(
      'history_not_found',
      `No task ${named} has ended in ${stateDir}. \`ollama-sidecar history\` lists them.`,
    );
  }
  if (terminal.json) terminal.data(rows.map(view));
  else if (rows.length === 0) terminal.prose(`No task has ended in ${stateDir} yet.`);
  else showList(terminal, rows);
}

/** A row as it is printed as JSON. */
function view(row: HistoryRow) {
  const reason = refusal(row);
  return {
    task_id: row.taskId,
    generation: row.generation,
    status: row.outcome,
    finished_at: row.finishedAtMs,
    delivery: row.delivery,
    ...(reason !== undefined && { refused_because: reason }),
    ...(row.error !== undefined && { error: row.error }),
    ...(row.result && { result: row.result }),
  };
}

function refusal({ delivery }: HistoryRow): string | undefined {
  if (!delivery.startsWith(MOOT)) return undefined;
  const reason = delivery.slice(MOOT.length);
  return REFUSALS[reason] ?? reason;
}

/** The hub's knowledge of a task's end, in words. */
function outcomeOf(row: HistoryRow): string {
  const reason = refusal(row);
  if (reason !== undefined) return `refused: ${reason}`;
  if (row.delivery === 'pending') return 'waits to be sent';
  return row.delivery === 'none' ? 'nothing to send' : `has it (${row.delivery})`;
}

function showList({ color, table }: Terminal, rows: readonly HistoryRow[]): void {
  const lines = rows.map((row) => [
    new Date(row.finishedAtMs).toISOString().slice(0, 19),
    printable(row.taskId),
    paintStatus(color, row.outcome),
    printable(outcomeOf(row)),
  ]);
  table(lines, ['ENDED', 'TASK', 'STATUS', 'HUB']);
}

async function showOne(terminal: Terminal, row: HistoryRow): Promise<void> {
  if (terminal.json) {
    terminal.data(view(row));
    return;
  }
  showList(terminal, [row]);
  const { taskId, outcome, result, error, finishedAtMs } = row;
  const task = { task_id: taskId, title: taskId, status: outcome, created_at: finishedAtMs, result, error };
  const whole = `ollama-sidecar history ${shellWord(printable(taskId))} --json`;
  await showResult(terminal, task, {
    goOn: `${whole} | jq .result.follow_up | ollama-sidecar run --file -`,
  });
}

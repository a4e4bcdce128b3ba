/** `sessions`: past tasks, and all that was said in one of them. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseChatLog, type ChatEntry } from '../../session/chat-log.ts';
import { CHAT_LOG } from '../../session/session.ts';
import { terminationText } from '../../protocol/result.ts';
import type { SessionInfo } from '../../session/session-info.ts';
import { listSessions } from '../../session/session-store.ts';
import { workerFolders } from '../../worker/folders.ts';
import { findSession } from '../find-session.ts';
import { paintStatus } from '../paint-status.ts';
import { loadSettings, type CommandFlags } from '../settings.ts';
import { createTerminal, duration, type Terminal } from '../terminal.ts';
import { printable } from '../../values/printable.ts';

export async function sessionsCommand(
  named: string | undefined,
  options: CommandFlags & { limit: number },
): Promise<void> {
  const terminal = createTerminal(options.json, 'data');
  const { config } = await loadSettings(options);
  const { sessionsDir: folder } = workerFolders(config.worker);
  if (named !== undefined) return showOne(terminal, folder, await findSession(folder, named));
  const sessions = (await listSessions(folder)).slice(0, options.limit);
  terminal.list(sessions, {
    none: `No sessions in ${folder} yet.`,
    titles: ['SESSION', 'STATUS', 'TOOK', 'TOKENS', 'MODEL', 'TASK'],
    row: (one) => [
      one.id,
      paintStatus(terminal.color, one.status),
      one.end ? duration(Date.parse(one.end) - Date.parse(one.start)) : '–',
      `${one.tokens_in + one.tokens_out}`,
      printable(one.model) || '–',
      printable(one.task_id),
    ],
  });
}

async function showOne(terminal: Terminal, sessionsDir: string, info: SessionInfo): Promise<void> {
  const folder = join(sessionsDir, info.id);
  // A worker that was killed right after making the folder has left no log.
  const said = parseChatLog(await readFile(join(folder, CHAT_LOG), 'utf8').catch(() => ''));
  if (terminal.json) {
    terminal.data({ ...info, folder, said: said.map(({ atMs, type, text }) => ({ at: atMs, type, text })) });
    return;
  }
  const { line, prose, color } = terminal;
  line(`${color.bold(info.id)}  ${paintStatus(color, info.status)}`);
  const { task_id: taskId, model, termination_reason: ended } = info;
  prose(
    `  task ${printable(taskId)}, model ${printable(model) || 'unknown'}, ${ended ? printable(terminationText(ended)) : 'not ended'}`,
    '',
  );
  prose(`  ${folder}`, '');
  for (const entry of said) showEntry(terminal, entry);
}

function showEntry({ line, prose, color }: Terminal, { atMs, type, text }: ChatEntry): void {
  line();
  line(`${color.cyan(type)} ${color.dim(new Date(atMs).toISOString())}`);
  for (const one of printable(text).split('\n')) prose(`  ${one}`, '');
}

/**
 * Reads and writes the format of `chat_history.log`: all messages and tool calls, each as an entry `[time] TYPE: text`. Further lines of a
 * text are indented, so that every text can be parsed again. Pure.
 */

export const chatTypes = ['SYSTEM', 'USER', 'AGENT', 'TOOL_CALL', 'TOOL_RESULT'] as const;
export type ChatType = (typeof chatTypes)[number];

export interface ChatEntry {
  /** Milliseconds since the epoch. */
  atMs: number;
  type: ChatType;
  text: string;
}

const INDENT = '  ';

/** Formats an entry, with a newline at the end. */
export const formatEntry = ({ atMs, type, text }: ChatEntry): string =>
  `[${new Date(atMs).toISOString()}] ${type}: ${text.replaceAll('\n', `\n${INDENT}`)}\n`;

/** Formats a call, for example `read_file({"path":"a.ts"})`. */
export const formatToolCall = (name: string, args: unknown): string =>
  `${name}(${JSON.stringify(args) ?? ''})`;

const ENTRY_PATTERN =
  /^\[([+-]?\d{4,6}-\d\d-\d\dT[\d:.]+Z)\] (SYSTEM|USER|AGENT|TOOL_CALL|TOOL_RESULT): ?(.*)$/s;

/**
 * Parses the entries of a log. Lines that are neither an entry nor indented belong to the previous entry, so that a truncated or edited log
 * can be read.
 */
export function parseChatLog(log: string): ChatEntry[] {
  const entries: ChatEntry[] = [];
  const lines = log.split('\n');
  // If the log has no final newline, its last line is truncated; it counts as well.
  if (lines.at(-1) === '') lines.pop();
  for (const line of lines) {
    const [, time = '', type, text = ''] = ENTRY_PATTERN.exec(line) ?? [];
    const last = entries.at(-1);
    if (type) entries.push({ atMs: Date.parse(time), type: type as ChatType, text });
    else if (last) last.text += `\n${line.startsWith(INDENT) ? line.slice(INDENT.length) : line}`;
  }
  return entries;
}

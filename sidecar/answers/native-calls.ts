/**
 * `message.tool_calls` as Ollama (and servers that speak OpenAI's form) send them. Read with care, since a server's
 * mistakes must cost one call at most.
 */
import { isRecord } from '../values/json.ts';
import type { RawCall } from './result.ts';

/** The calls that have a name; undefined when the message has no calls at all. */
export function nativeCalls(message: Record<string, unknown>): RawCall[] | undefined {
  const calls = message.tool_calls;
  if (!Array.isArray(calls) || calls.length === 0) return undefined;
  return calls.flatMap((entry: unknown) => {
    if (!isRecord(entry)) return [];
    const called = isRecord(entry.function) ? entry.function : entry;
    if (typeof called.name !== 'string' || called.name.trim() === '') return [];
    const args = called.arguments ?? called.parameters;
    const id = typeof entry.id === 'string' && entry.id !== '' ? entry.id : undefined;
    return [{ name: called.name.trim(), arguments: args, ...(id !== undefined && { id }) }];
  });
}

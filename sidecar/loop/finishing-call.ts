/**
 * A final answer given as a call of a tool that other harnesses have for it (`final_answer`, `attempt_completion`): it
 * is taken as what it is. Beside other calls it stays a call, whose result says how to finish.
 */
import type { ParsedAnswer } from '../answers/result.ts';
import { isFinishingName } from '../tools/aliases.ts';
import type { ToolRegistry } from '../tools/registry.ts';

/** Where models put the text, by falling likelihood. */
const TEXT_KEYS = ['answer', 'result', 'response', 'message', 'summary', 'text', 'content', 'output'];

/** The answer in the only call; anything else as it came. */
export function readFinishingCall(parsed: ParsedAnswer, registry: ToolRegistry): ParsedAnswer {
  if (parsed.type !== 'tool_calls') return parsed;
  const [call, another] = parsed.calls;
  if (!call || another || !isFinishingName(call.name) || registry.get(call.name)) return parsed;
  const content = textOf(call.arguments) ?? parsed.content ?? '';
  return content === '' ? parsed : { type: 'final_answer', content };
}

function textOf(args: Record<string, unknown> | string): string | undefined {
  if (typeof args === 'string') return args.trim();
  const values = [...TEXT_KEYS.map((key) => args[key]), ...Object.values(args)];
  return values.find((value): value is string => typeof value === 'string' && value.trim() !== '')?.trim();
}

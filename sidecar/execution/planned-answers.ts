/**
 * Answers that have to be one JSON object of a given form: asked for with the schema, read leniently, asked for once
 * more where they are none. The same limits, ledger and journal hold as in the loop.
 */
import { z } from 'zod';
import { afterThinking } from '../model/parsing/thinking.ts';
import { formCorrection } from '../prompt/stage-messages.ts';
import { parseOrRepair } from '../values/repair-json.ts';
import { askModel, type AskContext } from './ask.ts';
import { checkLimits } from './check-limits.ts';
import type { Ending } from './ending.ts';

const TRIES = 2;
const MAX_ISSUES_CHARS = 500;

export type FormAnswer<T> =
  | { ok: true; value: T }
  /** The task has to stop. */
  | { ok: false; ending: Ending }
  /** No answer could be read. */
  | { ok: false; malformed: string };

/** Asks with the conversation's `format`. `form` shows the wanted form to a model that missed it. */
export async function askForForm<T>(
  context: AskContext,
  schema: z.ZodType<T>,
  form: string,
): Promise<FormAnswer<T>> {
  const { conversation, checkpoint, totals, observer } = context;
  let malformed = '';
  for (let round = 1; round <= TRIES; round += 1) {
    const limit = checkLimits(context, round);
    if (limit.ending) return { ok: false, ending: limit.ending };
    const asked = await askModel(context, round, limit.reservation);
    if (!asked.ok) return { ok: false, ending: asked.ending };
    const isNew = !checkpoint.hasAnswer(round);
    if (isNew) await checkpoint.recordAnswer(round, asked.answer);
    const { content } = asked.answer.reply.message;
    const read = readForm(content, schema);
    if (read.ok) return read;
    malformed = read.malformed;
    totals.malformedAnswers += 1;
    const correction = formCorrection(malformed, form);
    conversation.add({ role: 'assistant', content });
    conversation.add({ role: 'user', content: correction });
    if (isNew && round < TRIES) observer?.said('USER', correction);
  }
  return { ok: false, malformed };
}

/** Finds the object in what a model wrote; a final answer of structured mode may hold it. Never throws. */
export function readForm<T>(
  content: string,
  schema: z.ZodType<T>,
): { ok: true; value: T } | { ok: false; malformed: string } {
  const value = readJson(afterThinking(content));
  if (value === undefined) return { ok: false, malformed: 'the answer is no JSON object' };
  const parsed = schema.safeParse(value);
  if (parsed.success) return { ok: true, value: parsed.data };
  const inner = z.object({ response: z.string() }).safeParse(value);
  const unwrapped = inner.success ? schema.safeParse(readJson(inner.data.response)) : undefined;
  if (unwrapped?.success) return { ok: true, value: unwrapped.data };
  return { ok: false, malformed: z.prettifyError(parsed.error).slice(0, MAX_ISSUES_CHARS) };
}

function readJson(text: string): unknown {
  const start = text.search(/[[{]/u);
  const end = Math.max(text.lastIndexOf('}'), text.lastIndexOf(']'));
  if (start < 0) return undefined;
  const candidate = end > start ? text.slice(start, end + 1) : text.slice(start);
  const read = parseOrRepair(candidate);
  return read.ok ? read.value : undefined;
}

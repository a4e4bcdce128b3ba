/** Asks for an answer that is a JSON object of a given form: sends the schema, parses leniently, and asks once more if parsing fails. */
import * as z from 'zod';
import { removeThinking } from '../../parsing/answers/thinking.ts';
import { buildFormCorrection } from '../prompt/stage-messages.ts';
import { readWholeLiteral } from '../../base/values/literal.ts';
import { ask } from './ask.ts';
import type { Stage } from './stage.ts';
import type { Ending } from '../task/ending.ts';
import { success } from '../../base/values/outcome.ts';

const MAX_TRIES = 2;
const MAX_ISSUES_CHARS = 500;

export type FormAnswer<T> =
  | { ok: true; value: T }
  /** The task must stop. */
  | { ok: false; ending: Ending }
  /** No answer could be parsed; `malformed` is the reason. */
  | { ok: false; malformed: string };

/** Asks the model, and parses its answer by `schema`. After an invalid answer, `form` shows the model the expected form. */
export async function askForForm<T>(
  stage: Stage,
  schema: z.ZodType<T>,
  form: string,
): Promise<FormAnswer<T>> {
  const { conversation, run } = stage;
  let malformed = '';
  for (let round = 1; round <= MAX_TRIES; round += 1) {
    const outcome = await ask(stage, round);
    if (!outcome.ok) return { ok: false, ending: outcome.ending };
    const { content } = outcome.reply.message;
    const parsed = readForm(content, schema);
    if (parsed.ok) return parsed;
    malformed = parsed.malformed;
    run.totals.malformedAnswers += 1;
    const correction = buildFormCorrection(malformed, form);
    conversation.add({ role: 'assistant', content });
    conversation.add({ role: 'user', content: correction });
    if (round < MAX_TRIES) run.observer?.recordMessage('USER', correction);
  }
  return { ok: false, malformed };
}

/** Parses the JSON object in an answer. Never throws. */
function readForm<T>(
  content: string,
  schema: z.ZodType<T>,
): { ok: true; value: T } | { ok: false; malformed: string } {
  const value = readJson(removeThinking(content));
  if (value === undefined) return { ok: false, malformed: 'the answer is not a JSON object' };
  const parsed = schema.safeParse(value);
  if (parsed.success) return success(parsed.data);
  return { ok: false, malformed: z.prettifyError(parsed.error).slice(0, MAX_ISSUES_CHARS) };
}

function readJson(text: string): unknown {
  const start = text.search(/[[{]/u);
  const end = Math.max(text.lastIndexOf('}'), text.lastIndexOf(']'));
  if (start < 0) return undefined;
  const candidate = end > start ? text.slice(start, end + 1) : text.slice(start);
  const literal = readWholeLiteral(candidate, { mayGuess: true });
  return literal.ok ? literal.value : undefined;
}

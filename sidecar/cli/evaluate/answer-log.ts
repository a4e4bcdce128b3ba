/**
 * Writes `answers.jsonl`: each answer of the model in a run, with its prompt, so that other parsing rules can
 * be tried on recorded answers (`npm run bench -- reading`).
 */
import { appendFile } from 'node:fs/promises';
import { parseToolCalls } from '../../parsing/answers/parse-answer.ts';
import type { RecordedExchange } from '../../solving/session/request-log.ts';

/** One line of `answers.jsonl`. */
export interface AnswerRecord {
  model: string;
  task: string;
  run: number;
  /** Git tree hash of the files at the start of the task. */
  tree: string;
  form: 'native' | 'structured' | 'text';
  /** Last message before the answer. */
  prompt: string;
  answer: string;
}

/** Appends the answers of a run to the file. Rejects on a disk error. */
export async function appendAnswers(
  file: string,
  exchanges: readonly RecordedExchange[],
  run: Pick<AnswerRecord, 'model' | 'task' | 'run' | 'tree'>,
): Promise<void> {
  const lines = exchanges.flatMap(({ request, outcome }) => {
    if (!outcome?.ok) return [];
    const prompt = request.messages.at(-1)?.content ?? '';
    const line: AnswerRecord = {
      ...run,
      form: formOf(request),
      prompt,
      answer: outcome.value.message.content,
    };
    return [`${JSON.stringify(line)}\n`];
  });
  await appendFile(file, lines.join(''));
}

/** Returns whether an answer is malformed: neither a tool call nor a final answer. */
export function isMalformed({ request, outcome }: RecordedExchange): boolean {
  if (outcome === undefined || request.purpose !== 'agentic') return false;
  if (!outcome.ok) return outcome.failure.code === 'model_malformed_call';
  // Parsed in the mode of the request, as the worker does.
  const mode = formOf(request);
  return parseToolCalls(outcome.value.message, { tools: request.tools ?? null, mode }).type === 'malformed';
}

const formOf = ({ tools, format }: RecordedExchange['request']): AnswerRecord['form'] =>
  tools ? 'native' : format ? 'structured' : 'text';

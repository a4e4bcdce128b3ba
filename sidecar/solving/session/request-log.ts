/**
 * Reads and writes the format of `requests.jsonl`: each request to the model as its difference from the previous one, and each answer, so
 * that a session can be replayed without a model server. A compaction appears as a smaller `from`. The parser returns whole requests.
 */
import { readFile } from 'node:fs/promises';
import * as z from 'zod';
import { errorCode } from '../../base/values/errors.ts';
import { parseJson } from '../../base/values/json.ts';
import type { ChatMessage, ChatOutcome, ChatRequest } from '../../model/chat.ts';
import { countSharedMessages } from '../../model/sent-prompts.ts';

/** Recorded fields of a request other than `model` and `messages`. */
const OTHER_FIELDS = ['tools', 'format', 'options', 'think', 'keepAlive', 'stream'] as const;

/** The recorded fields of a request. */
export type RecordedRequest = Pick<ChatRequest, 'model' | 'messages'> &
  Partial<Pick<ChatRequest, (typeof OTHER_FIELDS)[number]>> & { purpose?: string };

export interface RecordedExchange {
  /** Number of the request in the session, from 1. */
  number: number;
  atMs: number;
  request: RecordedRequest;
  /** Outcome of the request; undefined if the worker was killed before the answer arrived. */
  outcome?: ChatOutcome;
}

/** A line for a request. `rest` contains the fields that changed since the previous request; null means that a field is no longer sent. */
const requestLineSchema = z.object({
  type: z.literal('request'),
  number: z.number().int(),
  at: z.string(),
  model: z.string(),
  purpose: z.string().optional(),
  /** Number of leading messages that are equal to those of the previous request. */
  from: z.number().int().nonnegative(),
  messages: z.array(z.looseObject({ role: z.string(), content: z.string() })),
  rest: z.record(z.string(), z.unknown()).default({}),
});
const answerLineSchema = z.object({
  type: z.literal('answer'),
  number: z.number().int(),
  outcome: z.looseObject({ ok: z.boolean() }),
});
const lineSchema = z.union([requestLineSchema, answerLineSchema]);

/** Converts requests to lines. A session needs one instance, since each line depends on the previous one. */
export class RequestDeltas {
  #number = 0;
  #messages: readonly ChatMessage[] = [];
  #otherFields: Partial<RecordedRequest> = {};

  /** Sets the first number. `startAt`: number of requests that the file of a continued session contains. */
  constructor(startAt = 0) {
    this.#number = startAt;
  }

  toLine(
    request: RecordedRequest,
    atMs: number,
  ): { number: number; line: z.input<typeof requestLineSchema> } {
    const from = countSharedMessages(this.#messages, request.messages);
    const rest: Record<string, unknown> = {};
    for (const key of OTHER_FIELDS) {
      // The first line contains all fields, so that a continued session does not depend on earlier lines.
      if (!(key in this.#otherFields) || !isSame(request[key], this.#otherFields[key]))
        rest[key] = request[key] ?? null;
    }
    this.#otherFields = Object.fromEntries(OTHER_FIELDS.map((key) => [key, request[key]]));
    this.#messages = [...request.messages];
    this.#number += 1;
    const line = {
      type: 'request' as const,
      number: this.#number,
      at: new Date(atMs).toISOString(),
      model: request.model,
      ...(request.purpose === undefined ? {} : { purpose: request.purpose }),
      from,
      messages: request.messages.slice(from).map((message) => ({ ...message })),
      ...(Object.keys(rest).length > 0 ? { rest } : {}),
    };
    return { number: this.#number, line };
  }
}

const isSame = (a: unknown, b: unknown) => a === b || JSON.stringify(a) === JSON.stringify(b);

/**
 * Returns the exchanges of a file, in order; none if the file is missing. Skips lines that cannot be parsed, such as a last line that a
 * kill truncated.
 */
export async function readRequests(path: string): Promise<RecordedExchange[]> {
  const text = await readFile(path, 'utf8').catch((error: unknown) => {
    if (errorCode(error) === 'ENOENT') return '';
    throw error;
  });
  return parseRequests(text);
}

/** Parses the lines of a request log into exchanges with whole requests. */
export function parseRequests(text: string): RecordedExchange[] {
  const exchanges: RecordedExchange[] = [];
  let messages: ChatMessage[] = [];
  let rest: Record<string, unknown> = {};
  for (const line of text.split('\n')) {
    const entry = parseLine(line);
    if (entry?.type === 'answer') {
      const exchange = exchanges.findLast(({ number }) => number === entry.number);
      if (exchange) exchange.outcome = entry.outcome as unknown as ChatOutcome;
    } else if (entry) {
      messages = [...messages.slice(0, entry.from), ...(entry.messages as unknown as ChatMessage[])];
      rest = removeNulls({ ...rest, ...entry.rest });
      const { number, model, purpose } = entry;
      const request = { model, messages, ...(purpose === undefined ? {} : { purpose }), ...rest };
      exchanges.push({ number, atMs: Date.parse(entry.at), request });
    }
  }
  return exchanges;
}

const removeNulls = (fields: Record<string, unknown>) =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== null));

/** Parses a line; returns undefined if the line is truncated. */
const parseLine = (line: string): z.output<typeof lineSchema> | undefined =>
  lineSchema.safeParse(parseJson(line)).data;

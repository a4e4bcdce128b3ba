/**
 * Format of `requests.jsonl`: each request to the model as its difference from the previous one, and each answer, so that a session can be
 * replayed without a model server. A compaction appears as a smaller `from`. The parser returns whole requests.
 */
import { readFile } from 'node:fs/promises';
import * as z from 'zod';
import { errorCode } from '../../base/values/errors.ts';
import { parseJson } from '../../base/values/json.ts';
import type { ChatMessage, ChatOutcome, ChatRequest } from '../../model/chat.ts';
import { countSharedMessages } from '../../model/sent-prompts.ts';

/** Recorded fields of a request besides its messages. */
const REST = ['tools', 'format', 'options', 'think', 'keepAlive', 'stream'] as const;

/** The recorded fields of a request. */
export type RecordedRequest = Pick<ChatRequest, 'model' | 'messages'> &
  Partial<Pick<ChatRequest, (typeof REST)[number]>> & { purpose?: string };

export interface RecordedExchange {
  /** Counts from 1, in order of sending. */
  number: number;
  atMs: number;
  request: RecordedRequest;
  /** Undefined if the worker was killed before the answer arrived. */
  outcome?: ChatOutcome;
}

/** A line of the file. `rest` contains only the fields that changed since the previous request; null: no longer sent. */
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

/** Converts requests to lines. One instance per session, since each line builds on the previous one. */
export class RequestDeltas {
  #number = 0;
  #messages: readonly ChatMessage[] = [];
  #rest: Partial<RecordedRequest> = {};

  /** Starts the numbering. `startAt`: number of requests already in the file, if a session is continued. */
  constructor(startAt = 0) {
    this.#number = startAt;
  }

  request(
    request: RecordedRequest,
    atMs: number,
  ): { number: number; line: z.input<typeof requestLineSchema> } {
    const from = countSharedMessages(this.#messages, request.messages);
    const rest: Record<string, unknown> = {};
    for (const key of REST) {
      // The first line contains all fields, so that a continued session does not depend on earlier lines.
      if (!(key in this.#rest) || !isSame(request[key], this.#rest[key])) rest[key] = request[key] ?? null;
    }
    this.#rest = Object.fromEntries(REST.map((key) => [key, request[key]]));
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
 * Returns the exchanges of a file, in order; none if the file is missing. Skips lines that cannot be parsed (a kill truncates the last
 * one).
 */
export async function readRequests(path: string): Promise<RecordedExchange[]> {
  const text = await readFile(path, 'utf8').catch((error: unknown) => {
    if (errorCode(error) === 'ENOENT') return '';
    throw error;
  });
  return parseRequests(text);
}

/** Parses the lines of a request log to exchanges with whole requests. */
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
      rest = withoutNulls({ ...rest, ...entry.rest });
      const { number, model, purpose } = entry;
      const request = { model, messages, ...(purpose === undefined ? {} : { purpose }), ...rest };
      exchanges.push({ number, atMs: Date.parse(entry.at), request });
    }
  }
  return exchanges;
}

const withoutNulls = (fields: Record<string, unknown>) =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== null));

/** Parses a line; undefined if it is truncated. */
const parseLine = (line: string): z.output<typeof lineSchema> | undefined =>
  lineSchema.safeParse(parseJson(line)).data;

/**
 * The scenario of a scripted model: the server's models, their answers and faults. Plain JSON, validated once;
 * docs/SCRIPTED-MODEL.md has the format with examples.
 */
import { readFile } from 'node:fs/promises';
import * as z from 'zod';

const milliseconds = z.number().int().nonnegative().max(3_600_000);
/** Number of requests with the fault; `always` never ends. */
const times = z.union([z.number().int().positive(), z.literal('always')]).default(1);
/** Number of stream pieces that are sent before the fault. */
const afterChunks = z.number().int().nonnegative().default(2);

const faultSchema = z.discriminatedUnion('kind', [
  z.strictObject({
    kind: z.literal('status').describe('Any HTTP status with a body'),
    status: z.number().int().min(100).max(599),
    body: z.union([z.string(), z.record(z.string(), z.unknown())]).optional(),
    retryAfter: z.string().optional().describe('The header `Retry-After`'),
    times,
  }),
  z.strictObject({ kind: z.literal('reset').describe('Closes the connection before any answer'), times }),
  z.strictObject({ kind: z.literal('silent').describe('Takes the request and never answers'), times }),
  z.strictObject({
    kind: z.literal('hold').describe('Waits for `release()` of the server, then answers as usual'),
    times,
  }),
  z.strictObject({ kind: z.literal('stall').describe('Begins and then stalls'), afterChunks, times }),
  z.strictObject({
    kind: z.literal('cut').describe('Closes the connection in the middle'),
    afterChunks,
    times,
  }),
  z.strictObject({
    kind: z.literal('no_done').describe('Ends normally without the last `done` piece'),
    afterChunks,
    times,
  }),
  z.strictObject({
    kind: z.literal('error_line').describe('A line {"error"} in the middle of a 200 stream'),
    error: z.string().default('an error was encountered while running the model'),
    afterChunks,
    times,
  }),
  z.strictObject({
    kind: z.literal('garbage').describe('A 200 whose body is not what Ollama sends'),
    body: z.string().default('<html><body>It works!</body></html>'),
    times,
  }),
  z.strictObject({
    kind: z.literal('huge').describe('An answer whose content has this many bytes'),
    sizeBytes: z.number().int().positive(),
    times,
  }),
]);
export type Fault = z.output<typeof faultSchema>;

const modelSchema = z.strictObject({
  name: z.string().min(1),
  capabilities: z.array(z.string()).default(['completion', 'tools']),
  /** Trained window, in tokens. */
  contextLength: z.number().int().positive().default(32_768),
  /** Maximum size of the loaded window, whatever `num_ctx` requests; default: the requested size. */
  loadedContext: z.number().int().positive().optional(),
  sizeBytes: z.number().int().positive().default(4_700_000_000),
  parameterSize: z.string().default('7.6B'),
  /** The oldest version of Ollama that can run the model. */
  requires: z.string().optional(),
  loadMs: milliseconds.default(0),
  /** Error of a failed load, such as a lack of memory; `aboveTokens` limits it to larger windows. */
  loadError: z
    .strictObject({
      error: z.string().default('model requires more system memory (21.3 GiB) than is available (14.8 GiB)'),
      aboveTokens: z.number().int().nonnegative().default(0),
      times,
    })
    .optional(),
  /** Whether the model is installed; if not, `/api/pull` must install it first. */
  installed: z.boolean().default(true),
  /** Whether the server ignores `truncate`, as old ones do: it silently drops the front of a long prompt. */
  ignoresTruncate: z.boolean().default(false),
});
export type ScriptedModelSpec = z.output<typeof modelSchema>;

const pattern = z.string().min(1);
/** Conditions of a request, which must all hold. Texts are plain, match anywhere, and are case-sensitive. */
const whenSchema = z.strictObject({
  model: pattern.optional(),
  system: pattern.optional(),
  firstUser: pattern.optional(),
  lastMessage: pattern.optional(),
  lastToolResult: pattern.optional(),
  /** Text anywhere in the conversation. */
  contains: pattern.optional(),
  /** Whether the request has `tools`. */
  tools: z.boolean().optional(),
  /** Whether the request has `format`. */
  format: z.boolean().optional(),
});
export type RequestConditions = z.output<typeof whenSchema>;

const toolCallSchema = z.strictObject({
  name: z.string().min(1),
  arguments: z.union([z.record(z.string(), z.unknown()), z.string()]).default({}),
  id: z.string().optional(),
});
export type ScriptedToolCall = z.output<typeof toolCallSchema>;

const replySchema = z.strictObject({
  content: z.string().default(''),
  thinking: z.string().optional(),
  tool_calls: z.array(toolCallSchema).optional(),
  /** Whether the reply is sent verbatim; otherwise a request without `tools` gets the calls as JSON in the content. */
  verbatim: z.boolean().default(false),
});
export type ScriptedReply = z.output<typeof replySchema>;

const turnShape = {
  note: z.string().optional(),
  reply: replySchema.prefault({}),
  tokensIn: z.number().int().nonnegative().optional(),
  tokensOut: z.number().int().nonnegative().optional(),
  doneReason: z.string().default('stop'),
  /** Delay before the first byte. */
  delayMs: milliseconds.default(0),
  /** Faults of the first requests for this turn, in order; the next request gets the reply. */
  faults: z.array(faultSchema).default([]),
};
const turnSchema = z.strictObject({
  ...turnShape,
  /** Number of consecutive turns that this one covers. */
  repeat: z.union([z.number().int().positive(), z.literal('always')]).default(1),
});
export type ScriptTurn = z.output<typeof turnSchema>;

const ruleSchema = z.strictObject({ ...turnShape, when: whenSchema });
export type ScriptRule = z.output<typeof ruleSchema>;

const scriptSchema = z.strictObject({
  name: z.string().default('script'),
  when: whenSchema.default({}),
  /**
   * The index of the turn. `conversation`: the number of assistant messages so far; `requests`: the number of answered
   * requests; `seed`: the request's seed, from 1, for several answers to one question.
   */
  position: z.enum(['conversation', 'requests', 'seed']).default('conversation'),
  turns: z.array(turnSchema).min(1),
});
export type Script = z.output<typeof scriptSchema>;

const scenarioSchema = z.strictObject({
  $schema: z.string().optional(),
  description: z.string().optional(),
  models: z
    .array(modelSchema)
    .min(1)
    .default([modelSchema.parse({ name: 'scripted:latest' })]),
  /** Rules that are tried before the scripts, in order, whatever the position. */
  rules: z.array(ruleSchema).default([]),
  scripts: z.array(scriptSchema).default([]),
  /** Shorthand for one script without conditions, tried last. */
  turns: z.array(turnSchema).optional(),
  /** Faults by path (`/api/show`, `/api/tags`, …); `load` is the chat without messages, `*` all requests. */
  endpoints: z.record(z.string(), z.array(faultSchema)).default({}),
  /** Speed that determines the reported durations; without a `card` nothing waits for them. */
  speed: z
    .strictObject({
      promptTokensPerSecond: z.number().positive().default(1000),
      tokensPerSecond: z.number().positive().default(40),
    })
    .prefault({}),
  /**
   * The end of the stream after its last line. Real servers end a moment `later`; a proxy may send both `together`;
   * `never`: the connection stays open.
   */
  streamEnd: z.enum(['later', 'together', 'never']).default('later'),
  /** A simulated GPU: calls take the time of `speed`, with this many slots and loaded models. */
  card: z
    .strictObject({
      slots: z.number().int().positive().default(1),
      loadedModels: z.number().int().positive().default(1),
    })
    .optional(),
});
export type Scenario = z.output<typeof scenarioSchema>;
export type StreamEnd = Scenario['streamEnd'];
/** A scenario as written by users. */
export type ScenarioInput = z.input<typeof scenarioSchema>;

/** The scenario is invalid; the message names every wrong key. */
export class ScenarioError extends Error {
  override readonly name = 'ScenarioError';
  readonly code = 'scenario_invalid';
}

/** Loads a scenario from a JSON file (a path) or an object; rejects with `ScenarioError`. */
export async function loadScenario(source: string | ScenarioInput): Promise<Scenario> {
  const where = typeof source === 'string' ? source : 'scenario';
  const parsed = scenarioSchema.safeParse(typeof source === 'string' ? await readJson(source) : source);
  if (!parsed.success) throw new ScenarioError(`${where}: ${z.prettifyError(parsed.error)}`);
  const { turns, ...scenario } = parsed.data;
  if (!turns) return scenario;
  const last: Script = { name: 'turns', when: {}, position: 'conversation', turns };
  return { ...scenario, scripts: [...scenario.scripts, last] };
}

async function readJson(path: string): Promise<unknown> {
  try {
    return JSON.parse(await readFile(path, 'utf8'));
  } catch (cause) {
    throw new ScenarioError(`${path}: not readable as JSON: ${(cause as Error).message}`, { cause });
  }
}

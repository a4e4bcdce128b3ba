/**
 * Parses Ollama's responses leniently: missing fields get defaults, arguments may be an object or JSON text, unknown
 * fields are ignored. The caller refuses unparsable values as garbage.
 */
import * as z from 'zod';
import type { ChatReply, InstalledModel, LoadedModel, ModelDetails } from './chat.ts';

/** Replaces null and undefined, which Ollama treats alike. */
const orElse = <T extends z.ZodType>(schema: T, otherwise: NoInfer<z.output<T>>) =>
  schema.nullish().transform((value): z.output<T> => value ?? otherwise);
const rounded = (value: number): number => Math.max(0, Math.round(value));

const text = orElse(z.string(), '');
const count = orElse(z.number(), 0).transform(rounded);

/** A list instead of named arguments stays text; the answer parser names its values. */
const listedArguments = z.array(z.unknown()).transform((values) => JSON.stringify(values));

const toolCallSchema = z.object({
  id: text.transform((id) => id || undefined),
  function: z.object({
    name: z.string(),
    arguments: orElse(z.union([z.record(z.string(), z.unknown()), z.string(), listedArguments]), {}),
  }),
});

/** One answer, or one piece of a stream. */
export const chatPartSchema = z.object({
  model: text,
  message: z
    .object({
      role: text.transform((role) => role || 'assistant'),
      content: text,
      thinking: text,
      tool_calls: orElse(z.array(toolCallSchema), []),
    })
    .nullish(),
  done: orElse(z.boolean(), false),
  done_reason: text,
  prompt_eval_count: count,
  prompt_eval_cached_count: orElse(z.number().transform(rounded).optional(), undefined),
  eval_count: count,
  total_duration: count,
  load_duration: count,
  prompt_eval_duration: count,
  eval_duration: count,
});
export type ChatPart = z.output<typeof chatPartSchema>;

/** Builds the reply from the message and the counts of the final part. */
export function toReply(message: NonNullable<ChatPart['message']>, final: ChatPart): ChatReply {
  const { role, content, thinking, tool_calls: calls } = message;
  return {
    model: final.model || undefined,
    message: {
      role,
      content,
      thinking: thinking || undefined,
      tool_calls: calls.length > 0 ? calls : undefined,
    },
    doneReason: final.done_reason,
    tokensIn: final.prompt_eval_count,
    tokensOut: final.eval_count,
    tokensCached: final.prompt_eval_cached_count,
    totalNs: final.total_duration,
    loadNs: final.load_duration,
    promptEvalNs: final.prompt_eval_duration,
    evalNs: final.eval_duration,
  };
}

const detailsSchema = orElse(z.object({ family: text, parameter_size: text }), {
  family: '',
  parameter_size: '',
});

const showSchema = z.object({
  capabilities: orElse(z.array(z.string()), []),
  model_info: orElse(z.record(z.string(), z.unknown()), {}),
  details: detailsSchema,
  requires: text,
});
/** Parses `/api/show`; undefined if invalid. */
export function readDetails(model: string, raw: unknown): ModelDetails | undefined {
  const parsed = showSchema.safeParse(raw);
  if (!parsed.success) return undefined;
  const { capabilities, model_info: info, details, requires } = parsed.data;
  const architecture = info['general.architecture'];
  const length = info[`${String(architecture)}.context_length`];
  return {
    model,
    capabilities,
    contextLength: typeof length === 'number' && length > 0 ? length : undefined,
    parameterSize: details.parameter_size || undefined,
    family: details.family || undefined,
    requiredVersion: requires || undefined,
  };
}

const listed = <T extends z.ZodType>(model: T) => z.object({ models: orElse(z.array(model), []) });
const tagsSchema = listed(z.object({ name: z.string(), size: count, details: detailsSchema }));
/** Parses `/api/tags`. */
export const readInstalled = (raw: unknown): InstalledModel[] | undefined =>
  tagsSchema.safeParse(raw).data?.models.map(({ name, size, details }) => ({
    name,
    sizeBytes: size,
    parameterSize: details.parameter_size || undefined,
  }));

const psSchema = listed(z.object({ name: z.string(), size: count, size_vram: count, context_length: count }));
/** Parses `/api/ps`. */
export const readLoaded = (raw: unknown): LoadedModel[] | undefined =>
  psSchema.safeParse(raw).data?.models.map(({ name, size, size_vram: vram, context_length: window }) => ({
    name,
    sizeBytes: size,
    vramBytes: vram,
    contextLength: window || undefined,
  }));

/** Parses `/api/version`. */
export const readVersion = (raw: unknown): string | undefined =>
  z.object({ version: z.string() }).safeParse(raw).data?.version;

/** One line of `/api/pull`. */
export const pullPartSchema = z.object({ status: text, digest: text, total: count, completed: count });

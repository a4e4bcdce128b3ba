/**
 * Parses Ollama's responses leniently: missing fields get defaults, arguments may be an object or JSON text, unknown
 * fields are ignored. The caller refuses unparsable values as garbage.
 */
import * as z from 'zod';
import type { ChatReply, InstalledModel, LoadedModel, ModelDetails } from './chat.ts';

/** Makes a schema replace null and undefined, which Ollama treats alike, by a default. */
const applyDefault = <T extends z.ZodType>(schema: T, defaultValue: NoInfer<z.output<T>>) =>
  schema.nullish().transform((value): z.output<T> => value ?? defaultValue);
const roundCount = (value: number): number => Math.max(0, Math.round(value));

const textSchema = applyDefault(z.string(), '');
const countSchema = applyDefault(z.number(), 0).transform(roundCount);

/** Converts arguments that are a list, not an object, to text; the answer parser then names its values. */
const listedArgumentsSchema = z.array(z.unknown()).transform((values) => JSON.stringify(values));

const toolCallSchema = z.object({
  id: textSchema.transform((id) => id || undefined),
  function: z.object({
    name: z.string(),
    arguments: applyDefault(
      z.union([z.record(z.string(), z.unknown()), z.string(), listedArgumentsSchema]),
      {},
    ),
  }),
});

/** A whole answer, or a piece of a streamed one. */
export const chatPartSchema = z.object({
  model: textSchema,
  message: z
    .object({
      role: textSchema.transform((role) => role || 'assistant'),
      content: textSchema,
      thinking: textSchema,
      tool_calls: applyDefault(z.array(toolCallSchema), []),
    })
    .nullish(),
  done: applyDefault(z.boolean(), false),
  done_reason: textSchema,
  prompt_eval_count: countSchema,
  prompt_eval_cached_count: applyDefault(z.number().transform(roundCount).optional(), undefined),
  eval_count: countSchema,
  total_duration: countSchema,
  load_duration: countSchema,
  prompt_eval_duration: countSchema,
  eval_duration: countSchema,
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

const detailsSchema = applyDefault(z.object({ family: textSchema, parameter_size: textSchema }), {
  family: '',
  parameter_size: '',
});

const showSchema = z.object({
  capabilities: applyDefault(z.array(z.string()), []),
  model_info: applyDefault(z.record(z.string(), z.unknown()), {}),
  details: detailsSchema,
  requires: textSchema,
});
/** Parses the response of `/api/show`; undefined if invalid. */
export function readDetails(model: string, raw: unknown): ModelDetails | undefined {
  const parsed = showSchema.safeParse(raw);
  if (!parsed.success) return undefined;
  const { capabilities, model_info: modelInfo, details, requires } = parsed.data;
  const architecture = modelInfo['general.architecture'];
  const contextLength = modelInfo[`${String(architecture)}.context_length`];
  return {
    model,
    capabilities,
    contextLength: typeof contextLength === 'number' && contextLength > 0 ? contextLength : undefined,
    parameterSize: details.parameter_size || undefined,
    family: details.family || undefined,
    requiredVersion: requires || undefined,
  };
}

const buildModelList = <T extends z.ZodType>(model: T) =>
  z.object({ models: applyDefault(z.array(model), []) });
const tagsSchema = buildModelList(z.object({ name: z.string(), size: countSchema, details: detailsSchema }));
/** Parses the response of `/api/tags`; undefined if invalid. */
export const parseInstalledModels = (raw: unknown): InstalledModel[] | undefined =>
  tagsSchema.safeParse(raw).data?.models.map(({ name, size, details }) => ({
    name,
    sizeBytes: size,
    parameterSize: details.parameter_size || undefined,
  }));

const psSchema = buildModelList(
  z.object({ name: z.string(), size: countSchema, size_vram: countSchema, context_length: countSchema }),
);
/** Parses the response of `/api/ps`; undefined if invalid. */
export const parseLoadedModels = (raw: unknown): LoadedModel[] | undefined =>
  psSchema.safeParse(raw).data?.models.map(({ name, size, size_vram: vram, context_length: window }) => ({
    name,
    sizeBytes: size,
    vramBytes: vram,
    contextLength: window || undefined,
  }));

/** Parses the response of `/api/version`; undefined if invalid. */
export const readVersion = (raw: unknown): string | undefined =>
  z.object({ version: z.string() }).safeParse(raw).data?.version;

/** A line of the response of `/api/pull`. */
export const pullPartSchema = z.object({
  status: textSchema,
  digest: textSchema,
  total: countSchema,
  completed: countSchema,
});

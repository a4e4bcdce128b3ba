/**
 * Ollama's answers, read leniently: what is missing gets a default, arguments may be an object or JSON text,
 * unknown fields are ignored. A value that cannot be an answer at all is refused by the caller as garbage.
 */
import * as z from 'zod';
import type { ChatReply, InstalledModel, LoadedModel, ModelDetails } from './chat.ts';

const text = z
  .string()
  .nullish()
  .transform((value) => value ?? '');
const count = z
  .number()
  .nullish()
  .transform((value) => Math.max(0, Math.round(value ?? 0)));

const toolCallSchema = z.object({
  id: z
    .string()
    .nullish()
    .transform((id) => id || undefined),
  function: z.object({
    name: z.string(),
    arguments: z
      .union([z.record(z.string(), z.unknown()), z.string()])
      .nullish()
      .transform((value) => value ?? {}),
  }),
});

/** One answer, or one piece of a stream. */
export const chatPartSchema = z.object({
  model: text,
  message: z
    .object({
      role: z
        .string()
        .nullish()
        .transform((role) => role || 'assistant'),
      content: text,
      thinking: text,
      tool_calls: z
        .array(toolCallSchema)
        .nullish()
        .transform((calls) => calls ?? []),
    })
    .nullish(),
  done: z
    .boolean()
    .nullish()
    .transform((value) => value ?? false),
  done_reason: text,
  prompt_eval_count: count,
  prompt_eval_cached_count: z
    .number()
    .nullish()
    .transform((value) => (typeof value === 'number' ? Math.max(0, Math.round(value)) : undefined)),
  eval_count: count,
  total_duration: count,
  load_duration: count,
  prompt_eval_duration: count,
  eval_duration: count,
});
export type ChatPart = z.output<typeof chatPartSchema>;

/** The whole answer from its text, thinking and calls and the counts of its final part. */
export function toReply(message: NonNullable<ChatPart['message']>, final: ChatPart): ChatReply {
  const { role, content, thinking, tool_calls: calls } = message;
  return {
    ...(final.model === '' ? {} : { model: final.model }),
    message: {
      role,
      content,
      ...(thinking === '' ? {} : { thinking }),
      ...(calls.length === 0
        ? {}
        : {
            tool_calls: calls.map(({ id, function: call }) => ({
              ...(id === undefined ? {} : { id }),
              function: call,
            })),
          }),
    },
    doneReason: final.done_reason,
    tokensIn: final.prompt_eval_count,
    tokensOut: final.eval_count,
    ...(final.prompt_eval_cached_count !== undefined && { tokensCached: final.prompt_eval_cached_count }),
    totalNs: final.total_duration,
    loadNs: final.load_duration,
    promptEvalNs: final.prompt_eval_duration,
    evalNs: final.eval_duration,
  };
}

const detailsSchema = z
  .object({ family: text, parameter_size: text })
  .nullish()
  .transform((details) => details ?? { family: '', parameter_size: '' });

const showSchema = z.object({
  capabilities: z
    .array(z.string())
    .nullish()
    .transform((list) => list ?? []),
  model_info: z
    .record(z.string(), z.unknown())
    .nullish()
    .transform((info) => info ?? {}),
  details: detailsSchema,
});
/** `/api/show`; undefined when it is not one. */
export function readDetails(model: string, raw: unknown): ModelDetails | undefined {
  const parsed = showSchema.safeParse(raw);
  if (!parsed.success) return undefined;
  const { capabilities, model_info: info, details } = parsed.data;
  const architecture = info['general.architecture'];
  const length = info[`${String(architecture)}.context_length`];
  return {
    model,
    capabilities,
    ...(typeof length === 'number' && length > 0 ? { contextLength: length } : {}),
    ...(details.parameter_size === '' ? {} : { parameterSize: details.parameter_size }),
    ...(details.family === '' ? {} : { family: details.family }),
  };
}

const listed = <T extends z.ZodType>(model: T) =>
  z.object({
    models: z
      .array(model)
      .nullish()
      .transform((models) => models ?? []),
  });
const tagsSchema = listed(z.object({ name: z.string(), size: count, details: detailsSchema }));
/** `/api/tags`. */
export const readInstalled = (raw: unknown): InstalledModel[] | undefined =>
  tagsSchema.safeParse(raw).data?.models.map(({ name, size, details }) => ({
    name,
    sizeBytes: size,
    ...(details.parameter_size === '' ? {} : { parameterSize: details.parameter_size }),
  }));

const psSchema = listed(z.object({ name: z.string(), size: count, size_vram: count, context_length: count }));
/** `/api/ps`. */
export const readLoaded = (raw: unknown): LoadedModel[] | undefined =>
  psSchema.safeParse(raw).data?.models.map(({ name, size, size_vram: vram, context_length: window }) => ({
    name,
    sizeBytes: size,
    vramBytes: vram,
    ...(window > 0 ? { contextLength: window } : {}),
  }));

/** `/api/version`. */
export const readVersion = (raw: unknown): string | undefined =>
  z.object({ version: z.string() }).safeParse(raw).data?.version;

/** One line of `/api/pull`. */
export const pullPartSchema = z.object({ status: text, digest: text, total: count, completed: count });

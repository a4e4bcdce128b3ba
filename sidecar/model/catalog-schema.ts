/**
 * The format of `config/models.json` and of the user's file over it. Every field has a default;
 * unknown keys are errors, as in the configuration, so that a typing mistake is not a setting that does nothing.
 */
import * as z from 'zod';

const thinkSchema = z.union([z.boolean(), z.enum(['low', 'medium', 'high'])]);
/** Thinking as Ollama takes it. */
export type Think = z.output<typeof thinkSchema>;

export const chatPurposes = ['agentic', 'planning', 'summary', 'simple'] as const;
/** The purpose of a call; decides temperature, thinking and streaming. */
export type ChatPurpose = (typeof chatPurposes)[number];

/** The price of using a model; a part that is not given costs nothing. */
const priceSchema = z.strictObject({
  usdPerMillionTokensIn: z.number().nonnegative().optional(),
  usdPerMillionTokensOut: z.number().nonnegative().optional(),
  usdPerGpuHour: z.number().nonnegative().optional(),
});

/** How an agentic task is worked on: drafts and then the loop (`auto`), or one of them alone. */
export const strategies = ['auto', 'loop', 'drafts'] as const;

/** Ways of solving that a profile can set. */
export const solvingSchema = z.strictObject({
  strategy: z.enum(strategies).default('auto'),
  /** Answers that are drawn at most before the loop begins, repairs among them. */
  drafts: z.number().int().min(0).max(32).default(3),
  /** How often a draft that fails is shown its failure and asked for again, before the next new one. */
  repairs: z.number().int().min(0).max(4).default(1),
  /** The form of a draft: the definitions that change, or whole files and passages of long ones. */
  form: z.enum(['definitions', 'files']).default('files'),
});
/** The settings that measured best for a model: how its tasks are solved. */
export type SolvingProfile = z.output<typeof solvingSchema>;

/** How long a thinking model may think before an answer. */
const thinkingSchema = z.strictObject({
  /** Tokens of thinking for one answer; then the call is stopped and made again. Never more than half of the window. */
  budgetTokens: z.number().int().positive().default(4096),
  /** How the call is then made: without thinking, or as little as the model can be asked for. */
  after: thinkSchema.default(false),
});

/** An entry of the catalogue; every field has a default. */
export const entrySchema = z.strictObject({
  displayName: z.string().optional(),
  provider: z.string().default('ollama'),
  /** As `/api/show` names them: completion, tools, thinking, vision, insert, embedding. */
  capabilities: z.array(z.string()).default([]),
  /** Tokens that make sense with this model; the window is never larger. */
  contextWindow: z.number().int().min(512).default(32_768),
  recommendedFor: z.array(z.string()).default([]),
  /** An extra text after the system prompt. */
  prompt: z.string().optional(),
  toolMode: z.enum(['auto', 'native', 'structured', 'text']).default('auto'),
  /** One value, or one per purpose; what is not given is false. */
  think: z.union([thinkSchema, z.partialRecord(z.enum(chatPurposes), thinkSchema)]).default(false),
  thinking: thinkingSchema.prefault({}),
  /** Passed to Ollama as they are; they win over what the purpose of a call would set. */
  options: z.record(z.string(), z.unknown()).default({}),
  keepAlive: z.union([z.string(), z.number()]).default('10m'),
  price: priceSchema.default({}),
  parallelToolCalls: z.boolean().default(true),
  /** In place of `ollama.requestTimeoutMs` for this model. */
  requestTimeoutMs: z.number().int().positive().optional(),
  solving: solvingSchema.prefault({}),
});
export type ModelEntry = z.output<typeof entrySchema>;
export type EntryInput = z.input<typeof entrySchema>;

/** For whom a profile is: all that is given must fit. */
const matchSchema = z.strictObject({
  /** Name with `*` for any text, such as `qwen2.5-coder:*`. */
  name: z.string().min(1),
  /** Families as the server reports them, such as `qwen3moe`: for models whose own name no profile has. */
  families: z.array(z.string().min(1)).optional(),
  /** Sizes in billions of parameters, both ends included. A model of unknown size fits no bounded profile. */
  minBillions: z.number().nonnegative().optional(),
  maxBillions: z.number().nonnegative().optional(),
});

/** An entry for all models that it matches; `note`: what people should know; `source`: where its facts come from. */
const profileSchema = entrySchema.partial().extend({
  match: matchSchema,
  note: z.string().optional(),
  source: z.string().optional(),
});
export type ModelProfile = z.input<typeof profileSchema>;

/** A whole file. `$schema` is for editors. */
export const catalogFileSchema = z.strictObject({
  $schema: z.string().optional(),
  /** Read in order: where several match a model the later ones win, an entry of `models` over all of them. */
  profiles: z.array(asGiven(profileSchema)).default([]),
  models: z.record(z.string(), asGiven(entrySchema)).default({}),
  selectionRules: z
    .strictObject({
      default: z.string().min(1).optional(),
      byTaskType: z.record(z.string(), z.string().min(1)).default({}),
    })
    .prefault({}),
});
export type CatalogFile = z.output<typeof catalogFileSchema>;
export type CatalogFileInput = z.input<typeof catalogFileSchema>;

/** Checks against `schema` but keeps what was written, so that a default does not override the entry below. */
function asGiven<T extends z.ZodType>(schema: T) {
  return z.unknown().transform((value, context): z.input<T> => {
    const parsed = schema.safeParse(value);
    if (!parsed.success) {
      for (const issue of parsed.error.issues) context.addIssue({ ...issue });
    }
    return value as z.input<T>;
  });
}

/**
 * The format of `config/models.json` and of the user's overrides. Every field has a default; unknown keys are errors,
 * so that a typing mistake is reported.
 */
import * as z from 'zod';

const thinkSchema = z.union([z.boolean(), z.enum(['low', 'medium', 'high'])]);
/** A value of Ollama's `think` option. */
export type Think = z.output<typeof thinkSchema>;

export const chatPurposes = ['agentic', 'planning', 'summary', 'simple'] as const;
/** The purpose of a call; decides temperature, thinking and streaming. */
export type ChatPurpose = (typeof chatPurposes)[number];

/** The price of a model; omitted parts cost nothing. */
const priceSchema = z.strictObject({
  usdPerMillionTokensIn: z.number().nonnegative().optional(),
  usdPerMillionTokensOut: z.number().nonnegative().optional(),
  usdPerGpuHour: z.number().nonnegative().optional(),
});

/** Strategies for an agentic task: drafts and then the loop (`auto`), or only one of them. */
export const strategies = ['auto', 'loop', 'drafts'] as const;

/** The solving settings of a profile. */
export const solvingSchema = z.strictObject({
  strategy: z.enum(strategies).default('auto'),
  /** Maximum number of drafts, including repairs, before the loop begins. */
  drafts: z.number().int().min(0).max(32).default(3),
  /** Maximum number of repairs of a failed draft before a new draft is requested. */
  repairs: z.number().int().min(0).max(4).default(1),
  /** Form of a draft: only the changed definitions, or whole files (of long files, only the changed passages). */
  form: z.enum(['definitions', 'files']).default('files'),
});
/** The solving settings of a model: those that performed best in measurements. */
export type SolvingProfile = z.output<typeof solvingSchema>;

/** Limits of a model's thinking before an answer. */
const thinkingSchema = z.strictObject({
  /**
   * Maximum number of thinking tokens for one answer; never more than half of the window. A call that exceeds it is
   * stopped and repeated.
   */
  budgetTokens: z.number().int().positive().default(4096),
  /** Thinking of the repeated call: none, or as little as the model supports. */
  after: thinkSchema.default(false),
});

/** An entry of the catalog; every field has a default. */
export const entrySchema = z.strictObject({
  displayName: z.string().optional(),
  provider: z.string().default('ollama'),
  /** The names that `/api/show` uses: completion, tools, thinking, vision, insert, embedding. */
  capabilities: z.array(z.string()).default([]),
  /** Maximum size of the window, in tokens. */
  contextWindow: z.number().int().min(512).default(32_768),
  recommendedFor: z.array(z.string()).default([]),
  /** Extra text after the system prompt. */
  prompt: z.string().optional(),
  toolMode: z.enum(['auto', 'native', 'structured', 'text']).default('auto'),
  /** Thinking of the model: one value for all purposes, or one per purpose; false if omitted. */
  think: z.union([thinkSchema, z.partialRecord(z.enum(chatPurposes), thinkSchema)]).default(false),
  thinking: thinkingSchema.prefault({}),
  /** Options that are passed to Ollama unchanged; they override the options of a call's purpose. */
  options: z.record(z.string(), z.unknown()).default({}),
  keepAlive: z.union([z.string(), z.number()]).default('10m'),
  price: priceSchema.default({}),
  parallelToolCalls: z.boolean().default(true),
  /** Overrides `ollama.requestTimeoutMs` for this model. */
  requestTimeoutMs: z.number().int().positive().optional(),
  solving: solvingSchema.prefault({}),
});
export type ModelEntry = z.output<typeof entrySchema>;
export type EntryInput = z.input<typeof entrySchema>;

/** Conditions for the models of a profile; all given ones must hold. */
const matchSchema = z.strictObject({
  /** Name with `*` for any text, such as `qwen2.5-coder:*`. */
  name: z.string().min(1),
  /** Families as the server reports them, such as `qwen3moe`, for models whose name matches no profile. */
  families: z.array(z.string().min(1)).optional(),
  /** Minimum number of parameters in billions, inclusive. A model of unknown size matches no profile with a limit. */
  minBillions: z.number().nonnegative().optional(),
  /** Maximum number of parameters in billions, inclusive. */
  maxBillions: z.number().nonnegative().optional(),
});

/** An entry for all models that it matches; `note`: information for users; `source`: the origin of its facts. */
const profileSchema = entrySchema.partial().extend({
  match: matchSchema,
  note: z.string().optional(),
  source: z.string().optional(),
});
export type ModelProfile = z.input<typeof profileSchema>;

/** Schema of a catalog file. `$schema` is for editors. */
export const catalogFileSchema = z.strictObject({
  $schema: z.string().optional(),
  /** Profiles in order: of several matching ones the later wins; an entry of `models` overrides all. */
  profiles: z.array(validateInput(profileSchema)).default([]),
  models: z.record(z.string(), validateInput(entrySchema)).default({}),
  selectionRules: z
    .strictObject({
      default: z.string().min(1).optional(),
      byTaskType: z.record(z.string(), z.string().min(1)).default({}),
    })
    .prefault({}),
});
export type CatalogFile = z.output<typeof catalogFileSchema>;
export type CatalogFileInput = z.input<typeof catalogFileSchema>;

/**
 * Returns a schema that validates with `schema` and yields the input without defaults, because defaults would override
 * an earlier entry.
 */
function validateInput<T extends z.ZodType>(schema: T) {
  return z.unknown().transform((value, context): z.input<T> => {
    const parsed = schema.safeParse(value);
    if (!parsed.success) {
      for (const issue of parsed.error.issues) context.addIssue({ ...issue });
    }
    return value as z.input<T>;
  });
}

/**
 * Defines the schema of the configuration. Every key has a default, so `{}` is a valid file. Unknown keys are errors, so that a typing
 * error is not ignored silently.
 */
import * as z from 'zod';
import { isHttpAddress } from '../addresses/http-address.ts';
import { isPostgresAddress } from '../addresses/is-postgres-address.ts';
import { isOllamaUrl, OLLAMA_URL_ADVICE } from '../addresses/ollama-url.ts';
import { describeRareSetting } from './rare-setting.ts';
import { solvingShape } from './solving.ts';
import { toolsShape } from './tool-settings.ts';
import { sandboxShape, workspaceShape } from './workspace-settings.ts';

const dayCount = z.number().positive().max(100_000);
const positiveInteger = z.number().int().positive();
const nonNegativeInteger = z.number().int().nonnegative();
const createIntegerSchema = (max: number) => z.number().int().min(1).max(max);
const portSchema = z.number().int().min(0).max(65_535);
const stringList = z.array(z.string()).default([]);
const approvalPolicy = z.enum(['auto', 'hub', 'deny']).default('auto');
const budget = z.strictObject({
  maxTokens: z.number().nonnegative().optional(),
  maxUsd: z.number().nonnegative().optional(),
  maxGpuSeconds: z.number().nonnegative().optional(),
});
const dailyBudget = budget.omit({ maxGpuSeconds: true }).optional();
const modelServer = z.strictObject({
  url: z.string().refine(isOllamaUrl, { error: OLLAMA_URL_ADVICE }),
  concurrency: createIntegerSchema(64).default(1),
  models: z.array(z.string()).min(1).optional(),
});
/**
 * Returns whether a text is a path or a PostgreSQL address. Any other address is rejected, since it would be used as the name of a folder.
 */
const isDatabaseAddress = (text: string): boolean =>
  text !== '' && (!/^[a-z][a-z0-9+.-]*:\/\//iu.test(text) || isPostgresAddress(text));
const defineSection = <T extends z.ZodRawShape>(shape: T) => z.strictObject(shape).prefault({} as never);

export const configSchema = z.strictObject({
  hub: defineSection({
    url: z
      .string()
      .optional()
      .describe('WebSocket address of the hub, e.g. ws://127.0.0.1:4600/ws; required by `start`'),
    agentId: z
      .string()
      .min(1)
      .max(128)
      .optional()
      .describe('Name of this worker on the hub; default: the host name'),
    name: z.string().max(256).optional().meta(describeRareSetting('Name of this worker on dashboards')),
    token: z.string().max(256).optional().describe('Token of this worker, set in the environment or a file'),
    tokenFile: z.string().optional().describe('File that contains the token of this worker'),
    labels: z
      .array(z.string().max(64))
      .max(64)
      .default([])
      .describe('Labels of this worker, e.g. ["gpu"]; a task may require labels'),
    connectTimeoutMs: nonNegativeInteger
      .default(15_000)
      .meta(describeRareSetting('Time limit for the first connection, in milliseconds; 0: no limit')),
    allowInsecure: z.boolean().default(false).describe('Allow ws:// to a host that is not loopback'),
    framesPerMinute: positiveInteger
      .optional()
      .meta(
        describeRareSetting(
          'Frames per minute that the hub accepts from this worker, if the hub announces no limit; default: 60',
        ),
      ),
    takeForeignTargets: z
      .boolean()
      .default(false)
      .meta(
        describeRareSetting(
          'Run tasks that the hub routes to another kind of worker, e.g. claude, with the local model',
        ),
      ),
  }),
  ollama: defineSection({
    url: z
      .string()
      .refine(isOllamaUrl, { error: OLLAMA_URL_ADVICE })
      .default('http://127.0.0.1:11434')
      .describe('Address of the Ollama server'),
    endpoints: z
      .array(modelServer)
      .max(64)
      .default([])
      .describe(
        'Model servers in place of ollama.url. Each has `url`, `concurrency` (parallel calls, default 1), `models` (default: all)',
      ),
    allowedHosts: stringList.describe(
      'Further model servers that a hub may choose: host:port, or host for port 11434',
    ),
    autoPull: z
      .boolean()
      .default(false)
      .describe('Whether the worker downloads a model that is not installed'),
    requestTimeoutMs: positiveInteger
      .default(120_000)
      .meta(describeRareSetting('Time limit of a call without streaming, in milliseconds')),
    loadTimeoutMs: positiveInteger
      .default(600_000)
      .meta(describeRareSetting('Time limit for loading a model, in milliseconds')),
    firstTokenTimeoutMs: positiveInteger
      .default(120_000)
      .meta(describeRareSetting('Time limit for the first token of a stream, in milliseconds')),
    betweenTokensTimeoutMs: positiveInteger
      .default(60_000)
      .meta(describeRareSetting('Time limit between two tokens of a stream, in milliseconds')),
    maxContextTokens: z
      .number()
      .int()
      .min(1024)
      .default(32_768)
      .describe('Maximum context window of a call (`num_ctx`), in tokens'),
    streamAgentic: z
      .boolean()
      .default(true)
      .meta(
        describeRareSetting(
          'Also stream calls with tools, so that the dashboard shows the text while the model writes it',
        ),
      ),
    slots: createIntegerSchema(32)
      .default(1)
      .describe('Number of calls that the server answers in parallel (OLLAMA_NUM_PARALLEL)'),
  }),
  model: defineSection({
    default: z
      .string()
      .optional()
      .describe('Model of tasks that name no model; default: the installed model that fits best'),
    ladder: z
      .array(z.string().min(1))
      .max(16)
      .default([])
      .describe('Models for successive attempts, smallest first; models that are not installed are skipped'),
    toolMode: z
      .enum(['auto', 'native', 'structured', 'text'])
      .default('auto')
      .meta(describeRareSetting("How the model calls tools; auto: the model's profile decides")),
    onMissing: z
      .enum(['fail', 'fallback'])
      .default('fail')
      .meta(
        describeRareSetting(
          'What to do if the model of a task is not installed: fail the task, or use the default model',
        ),
      ),
  }),
  worker: defineSection({
    stateDir: z
      .string()
      .optional()
      .describe('Folder of tasks, outbox, ledger and lock; default: ~/.local/state/ollama-sidecar (XDG)'),
    dataDir: z
      .string()
      .optional()
      .describe('Folder of sessions and repository caches; default: ~/.local/share/ollama-sidecar (XDG)'),
    concurrency: z
      .union([createIntegerSchema(64), z.literal('auto')], { error: 'write a number ≥ 1 or "auto"' })
      .default(1)
      .describe('Number of tasks at once; auto: enough to keep the model busy'),
    autoLimit: createIntegerSchema(64)
      .optional()
      .meta(
        describeRareSetting(
          'Maximum number of tasks at once with `auto`; default: limited by slots of the model servers, cores, and 2 GiB of memory per task',
        ),
      ),
    maxPassedOverMs: nonNegativeInteger
      .default(600_000)
      .meta(
        describeRareSetting(
          'How long a task or a call may wait because another model is loaded, in milliseconds',
        ),
      ),
    queueSize: nonNegativeInteger
      .max(1000)
      .default(2)
      .meta(describeRareSetting('Maximum number of accepted tasks that wait until they can run')),
    gracePeriodMs: positiveInteger
      .default(600_000)
      .describe('Time for running tasks to finish after SIGTERM, in milliseconds'),
    minFreeDiskBytes: nonNegativeInteger
      .default(512 * 1024 * 1024)
      .describe('Free disk space, in bytes, below which the worker accepts no tasks'),
    resourceReportIntervalMs: positiveInteger
      .default(60_000)
      .meta(describeRareSetting('Time between reports of load and memory to the hub, in milliseconds')),
  }),
  limits: defineSection({
    agenticTimeoutMs: positiveInteger
      .default(1_800_000)
      .describe('Time limit of a task with tools, in milliseconds'),
    simpleTimeoutMs: positiveInteger
      .default(600_000)
      .meta(describeRareSetting('Time limit of a task without tools, in milliseconds')),
    maxIterations: positiveInteger
      .default(10)
      .describe(
        'Maximum number of answers of the model per task; half as many for tier trivial, twice as many for complex',
      ),
    maxVerificationRetries: nonNegativeInteger
      .default(3)
      .meta(
        describeRareSetting(
          'Maximum number of corrections that a task may request for failing checks; default per task: 2',
        ),
      ),
    verificationTimeoutMs: positiveInteger
      .default(120_000)
      .describe('Time limit of all checks of a task together, in milliseconds'),
    holdTimeoutMs: nonNegativeInteger
      .default(7_200_000)
      .describe(
        'How long a task waits for a model server that is down, or for disk space, in milliseconds; 0: it fails immediately',
      ),
  }),
  routing: defineSection({
    agentic: z
      .enum(['auto', 'always', 'never'])
      .default('auto')
      .describe('Which tasks get tools; auto: those with a tier in `routing.agenticTiers`'),
    agenticTiers: z
      .array(z.string())
      .default(['standard', 'complex'])
      .meta(describeRareSetting('Tiers of tasks that get tools, if `routing.agentic` is auto')),
  }),
  solving: defineSection(solvingShape),
  verification: defineSection({
    protect: stringList.describe(
      'Globs of files that belong to the checks, in addition to those in a repository’s `.ollama-sidecar.json`',
    ),
  }),
  brief: defineSection({
    seconds: z
      .number()
      .nonnegative()
      .default(15)
      .describe(
        'Maximum seconds that the model spends reading the brief (excerpts of the repository); 0: no brief',
      ),
  }),
  budgets: defineSection({
    perTask: budget.optional().describe('Budget of one task; default: none'),
    perHour: budget.optional().describe('Budget of this worker in 60 minutes; default: none'),
    perDay: budget
      .optional()
      .describe('Budget of this worker in 24 hours, e.g. {"maxTokens": 1000000}; default: none'),
    perModel: z
      .record(z.string(), budget)
      .default({})
      .describe('Budgets of this worker in 24 hours, by model name'),
  }),
  workspace: defineSection(workspaceShape),
  sandbox: defineSection(sandboxShape),
  tools: defineSection(toolsShape),
  prompt: defineSection({
    userGuidanceFile: z
      .string()
      .optional()
      .meta(describeRareSetting("The user's own AGENTS.md; default: ~/AGENTS.md; empty: none")),
    skills: z
      .boolean()
      .default(false)
      .describe('Whether a task’s first message includes matching [skill cards](TOOLS.md#skills)'),
    skillsFolder: z
      .string()
      .optional()
      .meta(
        describeRareSetting(
          "Folder of the user's own skills (SKILL.md); default: `skills` in the folder of the user's settings",
        ),
      ),
  }),
  approval: defineSection({
    summary: approvalPolicy.describe(
      'Approval of the summary of a planned task: hub: a user decides; auto: accepted; deny: replaced by a list of its steps',
    ),
    question: approvalPolicy.describe(
      'Questions of the model: hub: a user of the hub answers; auto: the model decides itself and gives its reasons; deny: the question is refused',
    ),
    command: approvalPolicy.describe(
      'Commands that are refused by default: hub: a user of the hub may allow them; auto, deny: refused',
    ),
    timeoutMs: positiveInteger
      .default(600_000)
      .meta(describeRareSetting('How long a task waits for an answer of a user, in milliseconds')),
  }),
  retention: defineSection({
    sessionDays: dayCount.default(30).describe('How many days the worker retains session folders'),
    sessionBytes: positiveInteger
      .default(2 * 1024 ** 3)
      .meta(
        describeRareSetting('Maximum total size of session folders, in bytes; the oldest are removed first'),
      ),
    historyDays: dayCount
      .default(90)
      .meta(describeRareSetting('How many days the worker retains the history of ended tasks')),
    ledgerDays: dayCount
      .min(2)
      .default(90)
      .meta(
        describeRareSetting(
          'How many days the cost ledger retains single calls; older calls remain as sums by day and model',
        ),
      ),
    taskDays: dayCount.default(180).describe('How many days the embedded hub retains finished tasks'),
    eventDays: dayCount
      .default(30)
      .describe('How many days the embedded hub retains events of finished tasks'),
  }),
  observability: defineSection({
    logLevel: z
      .enum(['debug', 'info', 'warn', 'error', 'silent'])
      .default('info')
      .describe('Lowest level of log lines that are written'),
    host: z
      .string()
      .min(1)
      .default('127.0.0.1')
      .describe('Address on which /healthz, /readyz and /metrics are served'),
    port: portSchema
      .optional()
      .describe('Port of /healthz, /readyz and /metrics, e.g. 9464; default: not served'),
    allowedHosts: z
      .array(z.string().min(1).max(253))
      .max(64)
      .default([])
      .describe(
        'Further host names under which metrics and health are served, besides IP addresses, names without a dot and this machine’s host name',
      ),
    otlpEndpoint: z
      .string()
      .refine(isHttpAddress, {
        error: 'write an address such as http://127.0.0.1:4318, without user name and password',
      })
      .optional()
      .describe(
        'OpenTelemetry collector (OTLP/HTTP), e.g. http://127.0.0.1:4318; default: OTEL_EXPORTER_OTLP_ENDPOINT, else off',
      ),
  }),
  embeddedHub: defineSection({
    host: z.string().min(1).default('127.0.0.1').describe('Address on which the embedded hub listens'),
    port: portSchema.default(4600).describe('Port on which the embedded hub listens; 0: any free port'),
    database: z
      .string()
      .refine(isDatabaseAddress, {
        error: 'write the path of a file, or an address that begins with postgres://',
      })
      .optional()
      .describe('SQLite file or postgres:// URL; default: `hub.sqlite` in the state folder'),
    maxAttempts: positiveInteger
      .default(3)
      .meta(
        describeRareSetting(
          'Number of failed attempts after which a task becomes a dead letter and is not retried',
        ),
      ),
    webhooks: z
      .array(
        z.strictObject({
          url: z.string().max(2048).refine(isHttpAddress, { error: 'write an http or https address' }),
          secretFile: z.string().min(1).optional().describe('File with the key that signs the reports'),
        }),
      )
      .max(16)
      .default([])
      .meta(describeRareSetting('Webhooks: addresses that get a report when a task ends')),
    dailyBudgets: z
      .strictObject({
        hub: dailyBudget,
        submitter: dailyBudget,
        repository: dailyBudget,
      })
      .optional()
      .describe(
        'Daily budgets (UTC) of the hub, each submitter and each repository, e.g. {"hub": {"maxTokens": 1000000}}',
      ),
  }),
});
/** The effective configuration with all defaults. */
export type Config = z.output<typeof configSchema>;
/** The content of a configuration file. */
export type ConfigInput = z.input<typeof configSchema>;

/**
 * The schema of the configuration. Every key has a default, so `{}` is a valid file. Unknown keys are errors: a typing
 * error must not be ignored silently.
 */
import * as z from 'zod';
import { isHttpAddress } from '../addresses/http-address.ts';
import { isPostgresAddress } from '../addresses/is-postgres-address.ts';
import { isOllamaUrl, OLLAMA_URL_ADVICE } from '../addresses/ollama-url.ts';
import { mcpServersSchema } from './mcp-servers.ts';
import { ownToolSchema } from './own-tools.ts';
import { describeRareSetting } from './rare-setting.ts';
import { solvingShape } from './solving.ts';

const dayCount = z.number().positive().max(100_000);
const positiveInteger = z.number().int().positive();
const nonNegativeInteger = z.number().int().nonnegative();
const createIntegerSchema = (max: number) => z.number().int().min(1).max(max);
const port = z.number().int().min(0).max(65_535);
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
/** Returns whether a text is a path or a PostgreSQL address. Any other address would become the name of a folder. */
const isDatabaseAddress = (text: string): boolean =>
  text !== '' && (!/^[a-z][a-z0-9+.-]*:\/\//iu.test(text) || isPostgresAddress(text));
const defineSection = <T extends z.ZodRawShape>(shape: T) => z.strictObject(shape).prefault({} as never);

export const configSchema = z.strictObject({
  hub: defineSection({
    url: z.string().optional().describe('WebSocket address of the hub, e.g. ws://127.0.0.1:4600/ws'),
    agentId: z
      .string()
      .min(1)
      .max(128)
      .optional()
      .describe('Name of this worker on the hub; default: the host name'),
    name: z.string().max(256).optional().meta(describeRareSetting('Name shown on dashboards')),
    token: z
      .string()
      .max(256)
      .optional()
      .describe('Token of this worker; only from the environment or a file'),
    tokenFile: z.string().optional().describe('File that holds the token'),
    labels: z
      .array(z.string().max(64))
      .max(64)
      .default([])
      .describe('Capabilities by which the hub may assign tasks'),
    connectTimeoutMs: nonNegativeInteger
      .default(15_000)
      .meta(describeRareSetting('How long the first connection may take; 0: no limit')),
    allowInsecure: z.boolean().default(false).describe('Allow ws:// to a host that is not loopback'),
    framesPerMinute: positiveInteger
      .optional()
      .meta(
        describeRareSetting(
          'Frames per minute that the hub accepts from this worker, unless the hub announces it; default: 60',
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
        'Servers that share the tasks, instead of ollama.url: url, concurrency (calls at once, 1), models (default: all)',
      ),
    allowedHosts: stringList.describe(
      'Other servers that a hub may choose: host:port, or host for port 11434',
    ),
    autoPull: z.boolean().default(false).describe('Pull a model that is not installed'),
    requestTimeoutMs: positiveInteger
      .default(120_000)
      .meta(describeRareSetting('Timeout of a call without streaming')),
    loadTimeoutMs: positiveInteger.default(600_000).meta(describeRareSetting('Timeout of loading a model')),
    firstTokenTimeoutMs: positiveInteger
      .default(120_000)
      .meta(describeRareSetting('Timeout of a stream until its first token')),
    betweenTokensTimeoutMs: positiveInteger
      .default(60_000)
      .meta(describeRareSetting('Timeout of a stream between two tokens')),
    maxContextTokens: z.number().int().min(1024).default(32_768).describe('Upper bound of num_ctx'),
    streamAgentic: z
      .boolean()
      .default(true)
      .meta(
        describeRareSetting(
          'Also stream agentic calls, so that the dashboard shows the text as it is written',
        ),
      ),
    slots: createIntegerSchema(32)
      .default(1)
      .describe('Calls that the server can answer at once (OLLAMA_NUM_PARALLEL)'),
  }),
  model: defineSection({
    default: z
      .string()
      .optional()
      .describe('Model of tasks that name none; default: the installed one that fits best'),
    ladder: z
      .array(z.string().min(1))
      .max(16)
      .default([])
      .describe('Models for successive attempts, smallest first; installed ones only'),
    toolMode: z.enum(['auto', 'native', 'structured', 'text']).default('auto').meta(describeRareSetting()),
    onMissing: z
      .enum(['fail', 'fallback'])
      .default('fail')
      .meta(describeRareSetting('What to do if the model that the hub names is not installed')),
  }),
  worker: defineSection({
    stateDir: z.string().optional().describe('Folder of tasks, outbox, ledger and lock; default: by XDG'),
    dataDir: z.string().optional().describe('Folder of sessions and repository caches; default: by XDG'),
    concurrency: z
      .union([createIntegerSchema(64), z.literal('auto')], { error: 'write a number ≥ 1 or "auto"' })
      .default(1)
      .describe('Tasks at once; auto: enough to keep the model busy'),
    autoLimit: createIntegerSchema(64)
      .optional()
      .meta(
        describeRareSetting(
          'Maximum number of tasks at once with `auto`; default: the slots of the model servers and one for each core, 2 GiB of memory each',
        ),
      ),
    maxPassedOverMs: nonNegativeInteger
      .default(600_000)
      .meta(describeRareSetting('How long a task or a call may wait because another model is loaded')),
    queueSize: nonNegativeInteger
      .max(1000)
      .default(2)
      .meta(describeRareSetting('Accepted tasks that may wait beyond concurrency')),
    gracePeriodMs: positiveInteger
      .default(600_000)
      .describe('Time for running tasks to finish after SIGTERM'),
    minFreeDiskBytes: nonNegativeInteger.default(512 * 1024 * 1024),
    resourceReportIntervalMs: positiveInteger.default(60_000).meta(describeRareSetting()),
  }),
  limits: defineSection({
    agenticTimeoutMs: positiveInteger.default(1_800_000),
    simpleTimeoutMs: positiveInteger.default(600_000).meta(describeRareSetting()),
    maxIterations: positiveInteger
      .default(10)
      .describe('Maximum number of answers per task; half for the tier trivial, twice for complex'),
    maxVerificationRetries: nonNegativeInteger
      .default(3)
      .meta(describeRareSetting('Upper bound of the number that a task may request')),
    verificationTimeoutMs: positiveInteger.default(120_000),
    holdTimeoutMs: nonNegativeInteger
      .default(7_200_000)
      .describe(
        'How long a task waits for a model server that is down, or for disk space; 0: it fails immediately',
      ),
  }),
  routing: defineSection({
    agentic: z.enum(['auto', 'always', 'never']).default('auto'),
    agenticTiers: z.array(z.string()).default(['standard', 'complex']).meta(describeRareSetting()),
  }),
  solving: defineSection(solvingShape),
  verification: defineSection({
    protect: stringList.describe(
      'Globs of further files of the checks, in addition to those in a repository’s `.ollama-sidecar.json`',
    ),
  }),
  brief: defineSection({
    seconds: z
      .number()
      .nonnegative()
      .default(15)
      .describe('How long the model server may read the brief (excerpts of the repository); 0: no brief'),
  }),
  budgets: defineSection({
    perTask: budget.optional(),
    perHour: budget.optional(),
    perDay: budget.optional(),
    perModel: z.record(z.string(), budget).default({}),
  }),
  workspace: defineSection({
    push: z.enum(['never', 'branch']).default('never'),
    share: z
      .union([z.enum(['auto', 'off']), z.array(z.string())], {
        error: 'write "auto", "off" or a list of folders, e.g. ["node_modules"]',
      })
      .default('auto')
      .describe('Dependency folders of a local source to share with the worktree'),
    prepare: stringList.describe('Commands that prepare dependencies, with network, run once per lock file'),
    allowedRepos: stringList.describe('Globs of repositories that tasks may use; empty: all'),
    keepPartialDays: z.number().positive().default(14).meta(describeRareSetting()),
    warmTrees: nonNegativeInteger
      .default(2)
      .describe('Worktrees per repository that a worker retains for later tasks, for a day; 0: none'),
  }),
  sandbox: defineSection({
    mode: z.enum(['auto', 'required', 'off']).default('auto'),
    unconfined: z
      .enum(['refuse', 'allow'])
      .default('refuse')
      .describe('Whether a worker without bubblewrap runs tasks of a hub on another machine'),
    network: z.boolean().default(false),
    read: stringList.describe('Further files and folders that commands may read'),
    env: stringList.describe(
      'Further variables of the worker that commands get; `*` at the end matches any rest',
    ),
    maxProcesses: positiveInteger
      .default(512)
      .meta(describeRareSetting('Maximum number of processes of a command (with cgroup v2: of a task)')),
    maxFileBytes: positiveInteger
      .default(4 * 1024 ** 3)
      .meta(describeRareSetting('Maximum size of a file that a command writes')),
    maxDiskBytes: positiveInteger
      .default(20 * 1024 ** 3)
      .meta(describeRareSetting('Maximum total size of a task’s folder and its /tmp')),
    maxMemoryBytes: positiveInteger
      .default(8 * 1024 ** 3)
      .describe(
        'Memory limit of one process, and of a command (with cgroup v2: a task); the latter at most half of the machine’s',
      ),
    maxCpuSeconds: positiveInteger.default(600).meta(describeRareSetting('CPU time limit of one process')),
  }),
  tools: defineSection({
    outputLimits: z.record(z.string(), positiveInteger).default({}).meta(describeRareSetting()),
    lineLimits: z.record(z.string(), positiveInteger).default({}).meta(describeRareSetting()),
    protectedPaths: stringList,
    only: z
      .array(z.string().min(1).max(64))
      .min(1)
      .optional()
      .describe('The only tools that a model gets; a task may narrow the list (`metadata.tools_only`)'),
    disabled: z
      .array(z.string().min(1).max(64))
      .default([])
      .describe('Tools that no model gets; a task may add to the list (`metadata.tools_disabled`)'),
    own: z.array(ownToolSchema).max(32).default([]).describe('Tools of your own ([TOOLS.md](TOOLS.md))'),
    mcp: mcpServersSchema.default({}).describe('MCP servers by name ([TOOLS.md](TOOLS.md#mcp-servers))'),
    mcpSchemaBytes: positiveInteger
      .default(4_000)
      .meta(
        describeRareSetting(
          'How much of the prompt the tools of all MCP servers may use; tools beyond it are offered by name',
        ),
      ),
  }),
  prompt: defineSection({
    userGuidanceFile: z
      .string()
      .optional()
      .meta(describeRareSetting("The user's own AGENTS.md; default: ~/AGENTS.md; empty: none")),
    skills: z
      .boolean()
      .default(false)
      .describe('Whether a task’s first message gets [skill cards](TOOLS.md#skills) that fit'),
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
    summary: approvalPolicy,
    question: approvalPolicy,
    command: approvalPolicy,
    timeoutMs: positiveInteger.default(600_000).meta(describeRareSetting()),
  }),
  retention: defineSection({
    sessionDays: dayCount.default(30).describe('How many days the worker keeps session folders'),
    sessionBytes: positiveInteger.default(2 * 1024 ** 3).meta(describeRareSetting()),
    historyDays: dayCount
      .default(90)
      .meta(describeRareSetting('How many days the worker keeps the history of ended tasks')),
    ledgerDays: dayCount
      .min(2)
      .default(90)
      .meta(
        describeRareSetting(
          'How many days the cost ledger keeps single calls; older ones remain as sums by day and model',
        ),
      ),
    taskDays: dayCount.default(180).describe('How many days the embedded hub keeps finished tasks'),
    eventDays: dayCount.default(30).describe('How many days the embedded hub keeps events of finished tasks'),
  }),
  observability: defineSection({
    logLevel: z.enum(['debug', 'info', 'warn', 'error', 'silent']).default('info'),
    host: z
      .string()
      .min(1)
      .default('127.0.0.1')
      .describe('Address on which /healthz, /readyz and /metrics are served'),
    port: port.optional().describe('Port of /healthz, /readyz and /metrics; not served unless set'),
    allowedHosts: z
      .array(z.string().min(1).max(253))
      .max(64)
      .default([])
      .describe(
        'Further host names under which metrics and health are served; IP addresses, names without a dot and its own name always are',
      ),
    otlpEndpoint: z
      .string()
      .refine(isHttpAddress, {
        error: 'write an address such as http://127.0.0.1:4318, without user name and password',
      })
      .optional()
      .describe('OpenTelemetry collector (OTLP/HTTP); default: OTEL_EXPORTER_OTLP_ENDPOINT; off unless set'),
  }),
  embeddedHub: defineSection({
    host: z.string().min(1).default('127.0.0.1'),
    port: port.default(4600),
    database: z
      .string()
      .refine(isDatabaseAddress, {
        error: 'write the path of a file, or an address that begins with postgres://',
      })
      .optional()
      .describe('SQLite file or postgres:// URL; default: `hub.sqlite` in the state folder'),
    maxAttempts: positiveInteger
      .default(3)
      .meta(describeRareSetting('Failed attempts after which a task is a dead letter')),
    webhooks: z
      .array(
        z.strictObject({
          url: z.string().max(2048).refine(isHttpAddress, { error: 'write an http or https address' }),
          secretFile: z.string().min(1).optional().describe('File with the key that signs the reports'),
        }),
      )
      .max(16)
      .default([])
      .meta(describeRareSetting('Addresses that get a report when a task ends')),
    dailyBudgets: z
      .strictObject({
        hub: dailyBudget,
        submitter: dailyBudget,
        repository: dailyBudget,
      })
      .optional()
      .describe('Daily budgets (UTC) of the hub, each submitter and each repository'),
  }),
});
/** The effective configuration with all defaults. */
export type Config = z.output<typeof configSchema>;
/** The content of a configuration file. */
export type ConfigInput = z.input<typeof configSchema>;

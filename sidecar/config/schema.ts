/**
 * The one schema of the configuration. Every key has a default, so `{}` is a valid file.
 * Unknown keys are errors: a typing mistake must not be a setting that silently does nothing.
 */
import * as z from 'zod';
import { isHttpAddress } from '../addresses/http-address.ts';
import { isOllamaUrl, OLLAMA_URL_ADVICE } from '../addresses/ollama-url.ts';
import { mcpServers } from './mcp-servers.ts';
import { ownTool } from './own-tools.ts';
import { solving } from './solving.ts';

const days = z.number().positive().max(100_000);
const count = z.number().int().positive();
const whole = z.number().int().nonnegative();
const upTo = (most: number) => z.number().int().min(1).max(most);
const port = z.number().int().min(0).max(65_535);
const texts = z.array(z.string()).default([]);
const policy = z.enum(['auto', 'hub', 'deny']).default('auto');
const budget = z.strictObject({
  maxTokens: z.number().nonnegative().optional(),
  maxUsd: z.number().nonnegative().optional(),
  maxGpuSeconds: z.number().nonnegative().optional(),
});
const dailyBudget = budget.omit({ maxGpuSeconds: true }).optional();
const endpoint = z.strictObject({
  url: z.string().refine(isOllamaUrl, { error: OLLAMA_URL_ADVICE }),
  concurrency: upTo(64).default(1),
  models: z.array(z.string()).min(1).optional(),
});
/** A path, or an address of PostgreSQL; another address would become a folder of that name. */
const isDatabase = (text: string): boolean =>
  text !== '' && (!/^[a-z][a-z0-9+.-]*:\/\//iu.test(text) || /^postgres(ql)?:\/\//u.test(text));
const section = <T extends z.ZodRawShape>(shape: T) => z.strictObject(shape).prefault({} as never);

export const configSchema = z.strictObject({
  hub: section({
    url: z.string().optional().describe('WebSocket address of the hub, such as ws://127.0.0.1:4600/ws'),
    agentId: z
      .string()
      .min(1)
      .max(128)
      .optional()
      .describe('Name of this worker on the hub; default: the host name'),
    name: z.string().max(256).optional().describe('Name shown on dashboards'),
    token: z
      .string()
      .max(256)
      .optional()
      .describe('Token of this worker; only from the environment or a file'),
    tokenFile: z.string().optional().describe('File that holds the token'),
    labels: z.array(z.string().max(64)).max(64).default([]).describe('Capabilities the hub may assign by'),
    connectTimeoutMs: whole
      .default(15_000)
      .describe('How long the first connection may take; 0 waits for the hub'),
    allowInsecure: z.boolean().default(false).describe('Allow ws:// to a host that is not loopback'),
    framesPerMinute: count
      .optional()
      .describe(
        'Frames that the hub takes of this worker in a minute, where it does not say so itself; default: 60',
      ),
    takeForeignTargets: z
      .boolean()
      .default(false)
      .describe(
        'Do tasks that the hub routes to another kind of worker, such as claude, with the local model',
      ),
  }),
  ollama: section({
    url: z
      .string()
      .refine(isOllamaUrl, { error: OLLAMA_URL_ADVICE })
      .default('http://127.0.0.1:11434')
      .describe('Address of the Ollama server'),
    endpoints: z
      .array(endpoint)
      .max(64)
      .default([])
      .describe(
        'Servers that share the tasks, in place of ollama.url: url, concurrency (calls at once, 1), models (default: all that it has)',
      ),
    allowedHosts: texts.describe(
      'Other servers that a hub may pick with selected_endpoint: host:port, or host for port 11434',
    ),
    autoPull: z.boolean().default(false).describe('Pull a model that is not installed'),
    requestTimeoutMs: count.default(120_000).describe('One call without streaming'),
    loadTimeoutMs: count.default(600_000).describe('Loading a model'),
    firstTokenTimeoutMs: count.default(120_000).describe('Stream: until the first token'),
    betweenTokensTimeoutMs: count.default(60_000).describe('Stream: between two tokens'),
    maxContextTokens: z.number().int().min(1024).default(32_768).describe('Upper bound of num_ctx'),
    streamAgentic: z
      .boolean()
      .default(true)
      .describe('Stream agentic calls too, so that the dashboard shows what is being written'),
    slots: upTo(32).default(1).describe('Calls that the server answers at once (OLLAMA_NUM_PARALLEL)'),
  }),
  model: section({
    default: z
      .string()
      .optional()
      .describe(
        'Model to use where a task names none; default: the installed one that fits the machine best',
      ),
    ladder: z
      .array(z.string().min(1))
      .max(16)
      .default([])
      .describe(
        'Models for one attempt after the other, smallest first; ones that are not installed are left out',
      ),
    toolMode: z.enum(['auto', 'native', 'structured', 'text']).default('auto'),
    onMissing: z
      .enum(['fail', 'fallback'])
      .default('fail')
      .describe('When the model that the hub names is not installed'),
  }),
  worker: section({
    stateDir: z.string().optional().describe('Journal, outbox, ledger, lock; default by XDG'),
    dataDir: z.string().optional().describe('Sessions and repository caches; default by XDG'),
    concurrency: z
      .union([upTo(64), z.literal('auto')], { error: 'write a number ≥ 1 or "auto"' })
      .default(1)
      .describe('Tasks in work at once; auto: as many as keep the model busy'),
    autoLimit: upTo(64)
      .optional()
      .describe(
        'Most tasks in work at once with `auto`; default: the slots of the model servers and one for each core, 2 GiB of memory each',
      ),
    maxPassedOverMs: whole
      .default(600_000)
      .describe('How long a task or a call waits at most because another model is loaded'),
    queueSize: whole.max(1000).default(2).describe('Tasks kept waiting beyond concurrency'),
    gracePeriodMs: count.default(600_000).describe('Time for running tasks to finish after SIGTERM'),
    minFreeDiskBytes: whole.default(512 * 1024 * 1024),
    resourceReportIntervalMs: count.default(60_000),
  }),
  limits: section({
    agenticTimeoutMs: count.default(1_800_000),
    simpleTimeoutMs: count.default(600_000),
    maxIterations: count
      .default(10)
      .describe(
        'Answers that a task may have, half of it for the tier trivial and twice for complex; besides, a model gets a correction after 5 rounds that change no file and show nothing new, and is stopped after 3 more',
      ),
    maxVerificationRetries: whole.default(3).describe('Upper bound of what a task may ask'),
    verificationTimeoutMs: count.default(120_000),
    holdTimeoutMs: whole
      .default(7_200_000)
      .describe(
        'How long a task waits for a model server that is down, or for disk space before it begins; 0 fails it at once',
      ),
  }),
  routing: section({
    agentic: z.enum(['auto', 'always', 'never']).default('auto'),
    agenticTiers: z.array(z.string()).default(['standard', 'complex']),
  }),
  solving: section(solving),
  verification: section({
    protect: texts.describe(
      'Globs of further files of the checks, which a task may not change; a repository names its own in `.ollama-sidecar.json`',
    ),
  }),
  brief: section({
    seconds: z
      .number()
      .nonnegative()
      .default(15)
      .describe(
        'How long the server may read what is shown of the repository before its first answer; 0 shows nothing',
      ),
  }),
  budgets: section({
    perTask: budget.optional(),
    perHour: budget.optional(),
    perDay: budget.optional(),
    perModel: z.record(z.string(), budget).default({}),
  }),
  workspace: section({
    push: z.enum(['never', 'branch']).default('never'),
    share: z
      .union([z.enum(['auto', 'off']), z.array(z.string())], {
        error: 'write "auto", "off" or a list of folders such as ["node_modules"]',
      })
      .default('auto')
      .describe('Dependency folders of a local source to share with the worktree'),
    prepare: texts.describe('Commands with network, run once per lock file'),
    allowedRepos: texts.describe('Globs of repositories that tasks may name; empty: any'),
    keepPartialDays: z.number().positive().default(14),
    warmTrees: whole
      .default(2)
      .describe(
        'Checked-out trees of each repository that a worker keeps for its next tasks, for a day; 0: none',
      ),
  }),
  sandbox: section({
    mode: z.enum(['auto', 'required', 'off']).default('auto'),
    unconfined: z
      .enum(['refuse', 'allow'])
      .default('refuse')
      .describe('Whether a worker without bubblewrap works for a hub on another machine'),
    network: z.boolean().default(false),
    read: texts.describe(
      'Further files and folders that commands may read, besides the system and the programs of the PATH',
    ),
    env: texts.describe(
      'Names of further variables of the worker that commands get, `*` at the end for any rest',
    ),
    maxProcesses: count.default(512).describe('Processes of a command together (with cgroup v2: of a task)'),
    maxFileBytes: count.default(4 * 1024 ** 3).describe('Size of one file that a command writes'),
    maxDiskBytes: count
      .default(20 * 1024 ** 3)
      .describe('What the folder of a task and its /tmp may hold together'),
    maxMemoryBytes: count
      .default(8 * 1024 ** 3)
      .describe(
        'Memory of one process, and of all of a command together (with cgroup v2: of a task), then at most half of the machine’s',
      ),
    maxCpuSeconds: count.default(600).describe('Processor time of one process'),
  }),
  tools: section({
    outputLimits: z.record(z.string(), count).default({}),
    lineLimits: z.record(z.string(), count).default({}),
    protectedPaths: texts,
    only: z
      .array(z.string().min(1).max(64))
      .min(1)
      .optional()
      .describe('The only tools that a model gets, by name; a task may narrow it (`metadata.tools_only`)'),
    disabled: z
      .array(z.string().min(1).max(64))
      .default([])
      .describe('Tools that no model gets; a task may add to it (`metadata.tools_disabled`)'),
    own: z
      .array(ownTool)
      .max(32)
      .default([])
      .describe(
        'Tools of your own: name, description, parameters, command, effects, timeoutMs, network ([TOOLS.md](TOOLS.md))',
      ),
    mcp: mcpServers
      .default({})
      .describe(
        'MCP servers by name: command, args, env, network or url, headers; only, timeoutMs, effects ([TOOLS.md](TOOLS.md))',
      ),
    mcpSchemaBytes: count
      .default(4_000)
      .describe('How much of the prompt the tools of all MCP servers may take; what has no room is left out'),
    mcpHosts: texts.describe(
      'host:port of MCP servers that a repository may name; those of tools.mcp need no entry',
    ),
    repositoryServers: z
      .boolean()
      .default(false)
      .describe('Whether a repository may name MCP servers of its own in `.ollama-sidecar.json`'),
  }),
  prompt: section({
    userGuidanceFile: z
      .string()
      .optional()
      .describe("The user's own AGENTS.md; default ~/AGENTS.md, an empty text for none"),
    skills: z
      .boolean()
      .default(false)
      .describe(
        'Whether cards of `skills/` that fit a task go into its first message ([TOOLS.md](TOOLS.md#skills))',
      ),
    skillsFolder: z
      .string()
      .optional()
      .describe("The user's own cards; default `skills` in the folder of the user's settings"),
  }),
  approval: section({
    summary: policy,
    question: policy,
    command: policy,
    timeoutMs: count.default(600_000),
  }),
  retention: section({
    sessionDays: days.default(30).describe('Session folders of the worker'),
    sessionBytes: count.default(2 * 1024 ** 3),
    historyDays: days.default(90).describe('Ended tasks that the worker remembers'),
    ledgerDays: days
      .min(2)
      .default(90)
      .describe('Single calls in the cost ledger; older ones are kept as sums by day and model'),
    taskDays: days.default(180).describe('How many days the embedded hub keeps finished tasks'),
    eventDays: days.default(30).describe('Events of ended tasks on the embedded hub'),
  }),
  observability: section({
    logLevel: z.enum(['debug', 'info', 'warn', 'error', 'silent']).default('info'),
    host: z.string().min(1).default('127.0.0.1').describe('Where /healthz, /readyz and /metrics listen'),
    port: port.optional().describe('Not served unless set'),
    allowedHosts: z
      .array(z.string().min(1).max(253))
      .max(64)
      .default([])
      .describe(
        'Host names with a dot under which metrics and health may be asked for; addresses, names without a dot and its own name always may',
      ),
    otlpEndpoint: z
      .string()
      .refine(isHttpAddress, {
        error: 'write an address such as http://127.0.0.1:4318, without user name and password',
      })
      .optional()
      .describe(
        'OpenTelemetry collector (OTLP/HTTP) that gets traces; else OTEL_EXPORTER_OTLP_ENDPOINT; off unless set',
      ),
  }),
  embeddedHub: section({
    host: z.string().min(1).default('127.0.0.1'),
    port: port.default(4600),
    database: z
      .string()
      .refine(isDatabase, { error: 'write the path of a file, or an address that begins with postgres://' })
      .optional()
      .describe('SQLite file or postgres:// URL; default: `hub.sqlite` in the state folder'),
    maxAttempts: count.default(3).describe('Failures until a task is a dead letter'),
    webhooks: z
      .array(
        z.strictObject({
          url: z.string().max(2048).refine(isHttpAddress, { error: 'write an http or https address' }),
          secretFile: z.string().min(1).optional().describe('File with the key that signs the reports'),
        }),
      )
      .max(16)
      .default([])
      .describe('Addresses that get a report of each task’s end'),
    dailyBudgets: z
      .strictObject({
        hub: dailyBudget,
        submitter: dailyBudget,
        repository: dailyBudget,
      })
      .optional()
      .describe('What the hub, each submitter and each repository may use a day of UTC; then tasks wait'),
  }),
});
/** The whole effective configuration, defaults filled in. */
export type Config = z.output<typeof configSchema>;
/** The content of a configuration file. */
export type ConfigInput = z.input<typeof configSchema>;

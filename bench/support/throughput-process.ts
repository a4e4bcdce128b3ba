/**
 * Hub, worker, a scripted model on a card, and checks that take their time, all on one clock that jumps: a queue of tasks is
 * worked off, and what the card did is told. Fresh for each row of the table.
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { createHubClient, type HubClient } from '../../sidecar/hub/client/hub-client.ts';
import { configSchema, type ConfigInput } from '../../sidecar/base/config/schema.ts';
import { startHub } from '../../sidecar/hub/hub.ts';
import { createLogger } from '../../sidecar/base/observability/logger.ts';
import { createSecretMasker } from '../../sidecar/base/observability/secrets.ts';
import type { GpuWork } from '../../sidecar/model/scripted/simulated-gpu.ts';
import { startScriptedModel } from '../../sidecar/model/scripted/server.ts';
import { startWorker } from '../../sidecar/worker/start-worker.ts';
import { answerQuestions } from './child.ts';
import { JumpClock } from './jump-clock.ts';
import { createBenchFolder } from './repositories.ts';

export interface ThroughputOptions {
  tasks: number;
  /** Answers of the model for a task; all but the last run the checks. */
  rounds: number;
  checkMs: number;
  slots: number;
  models: number;
  config: ConfigInput;
}

export interface ThroughputAnswer {
  /** Of the clock: from the first submission to the last end. */
  queueMs: number;
  /** Real time and CPU of everything, the model and the hub included. */
  wallMs: number;
  cpuMs: number;
  rssBytes: number;
  works: GpuWork[];
  endings: string[];
}

/** What a card of today does with a model of 7 billion parameters. */
const SPEED = { promptTokensPerSecond: 2_000, tokensPerSecond: 60 };
const LOAD_MS = 8_000;
const ANSWER_TOKENS = 150;
/** What a check prints, about 250 tokens. */
const OUTPUT = 'ok 1 - a line of a check that passes # '.repeat(25);

const options = JSON.parse(process.argv[2] ?? '{}') as ThroughputOptions;
const clock = new JumpClock();
const folder = createBenchFolder();
answerQuestions(
  {},
  () => measure(),
  () => Promise.resolve(folder.remove()),
);

async function measure(): Promise<ThroughputAnswer> {
  const checks = await startChecks();
  const model = await startScriptedModel({ clock, scenario: scenario() });
  const logger = await createLogger({ level: 'error', masker: createSecretMasker() });
  const hub = await startHub({ maxAttempts: 1, framesPerMinute: 1_000_000, clock, logger, metrics: false });
  const started = await startWorker({
    clock,
    logger,
    config: configSchema.parse({
      ...options.config,
      hub: { url: hub.wsUrl, agentId: 'bench', token: await hub.issueToken('worker', 'bench') },
      ollama: { url: model.url, ...options.config.ollama },
      model: { default: modelName(0) },
      worker: {
        stateDir: join(folder.dir, 'state'),
        dataDir: join(folder.dir, 'data'),
        ...options.config.worker,
      },
      sandbox: { mode: 'off' },
      solving: { strategy: 'loop' },
      prompt: { userGuidanceFile: '' },
    }),
  });
  if (!started.ok) throw new Error(started.failure.message);
  const client = createHubClient({ url: hub.url, token: hub.tokens.admin });
  const repo = createRepository(checks.port);
  const startedMs = clock.monotonicMs();
  const wallMs = performance.now();
  const cpu = process.cpuUsage();
  let isOver = false;
  const work = workOff(client, repo).finally(() => (isOver = true));
  await clock.runUntil(
    () => isOver,
    () => checks.waiting,
  );
  const endings = await work;
  const used = process.cpuUsage(cpu);
  const answer: ThroughputAnswer = {
    queueMs: clock.monotonicMs() - startedMs,
    wallMs: performance.now() - wallMs,
    cpuMs: (used.user + used.system) / 1_000,
    rssBytes: process.resourceUsage().maxRSS * 1_024,
    works: [...model.workLog],
    endings,
  };
  let isClosed = false;
  const closing = (async () => {
    await started.value.stop();
    await hub.close();
    await model.close();
    checks.close();
  })().finally(() => (isClosed = true));
  await clock.runUntil(
    () => isClosed,
    () => checks.waiting,
  );
  await closing;
  return answer;
}

const modelName = (index: number): string => `scripted:bench-${index + 1}`;

function scenario() {
  const call = (round: number) => ({
    reply: { tool_calls: [{ name: 'shell', arguments: { command: `. ./check.sh # ${round}` } }] },
    tokensOut: ANSWER_TOKENS,
  });
  return {
    models: Array.from({ length: options.models }, (_, index) => ({
      name: modelName(index),
      loadMs: LOAD_MS,
      contextLength: 16_384,
    })),
    card: { slots: options.slots },
    speed: SPEED,
    turns: [
      ...Array.from({ length: options.rounds - 1 }, (_, round) => call(round + 1)),
      { reply: { content: 'The checks pass.' }, tokensOut: ANSWER_TOKENS, repeat: 'always' as const },
    ],
  };
}

/** A server that answers after the time of a check; a check waits for it and does nothing else. */
async function startChecks(): Promise<{ port: number; readonly waiting: number; close: () => void }> {
  let waiting = 0;
  const server = createServer((socket) => {
    socket.once('data', () => {
      waiting += 1;
      clock.schedule(options.checkMs, () => {
        waiting -= 1;
        socket.end(`${OUTPUT}\n`);
      });
    });
    socket.on('error', () => undefined);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    port: (server.address() as AddressInfo).port,
    get waiting() {
      return waiting;
    },
    close: () => server.close(),
  };
}

/** A small project; its check is bash alone, which talks to the server of checks. */
function createRepository(port: number): string {
  const dir = join(folder.dir, 'project');
  mkdirSync(dir);
  writeFileSync(
    join(dir, 'check.sh'),
    `exec 3<>/dev/tcp/127.0.0.1/${port}\necho check >&3\nread -r -u 3 line\necho "$line"\n`,
  );
  for (let file = 1; file <= 5; file += 1)
    writeFileSync(join(dir, `part${file}.ts`), `export const part${file} = ${file};\n`.repeat(12));
  const git = (...args: string[]) =>
    execFileSync('git', ['-C', dir, '-c', 'user.name=bench', '-c', 'user.email=bench@localhost', ...args], {
      stdio: 'ignore',
    });
  git('init', '-b', 'main');
  git('add', '-A');
  git('commit', '-m', 'A small project');
  return dir;
}

const ENDED = new Set(['success', 'partial', 'dead_letter', 'cancelled']);

/** Submits all tasks, their models in turn, and waits for the last end. */
async function workOff(client: HubClient, repo: string): Promise<string[]> {
  const ended = Array.from({ length: options.tasks }, async (_, index) => {
    const { task_id: id } = await client.submit({
      description: `Task ${index + 1}: see whether part${(index % 5) + 1}.ts passes its check`,
      repo,
      model: modelName(index % options.models),
      agentic: true,
      max_attempts: 1,
      metadata: { read_only: true, max_iterations: 50 },
      verification_steps: [{ type: 'command', command: '. ./check.sh' }],
    });
    const watching = new AbortController();
    for await (const { kind, body } of client.events(id, { signal: watching.signal })) {
      if (kind !== 'task') continue;
      if (ENDED.has(String(body.status))) break;
    }
    watching.abort();
    const task = await client.task(id);
    return task.termination_reason ?? `${task.status}: ${task.error ?? ''}`;
  });
  return await Promise.all(ended);
}

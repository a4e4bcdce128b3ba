/**
 * How many of a model's answers are well-formed calls of a tool, for each way of calling tools, on tasks that cannot be
 * done without one. The worker's own prompts, grammar and reader are what is measured: one answer of each task.
 */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Config } from '../config/schema.ts';
import { OllamaExecutor } from '../executors/ollama-executor.ts';
import type { ChatOutcome } from '../model/chat.ts';
import { createOllamaServer } from '../model/ollama-server.ts';
import { withChat } from '../model/with-chat.ts';
import type { RecordedRequest } from '../session/request-log.ts';
import { readAnswerOf } from './answers.ts';

export const modes = ['native', 'structured', 'text'] as const;
export type Mode = (typeof modes)[number];

export interface Reliability {
  mode: Mode;
  /** Answers that came; a server that fails gives none. */
  answers: number;
  /** Calls of a tool that there is, with arguments that could be read. */
  wellFormed: number;
  /** The kinds of the others. */
  others: Record<string, number>;
  seconds: number;
}

interface ReliabilityOptions {
  config: Config;
  model: string;
  /** For each mode. */
  answers: number;
  signal: AbortSignal;
}

/** `N` stands for the number of the answer, so that no two prompts are the same. */
const PROMPTS = [
  'Read the file notes/N.txt and tell me its first line.',
  'Create a file out/N.txt that holds the word done.',
  'List what is in the folder src.',
  'Search the sources for the text TODO-N and say where it stands.',
  'In src/app.js the constant LIMIT must be N. Change it.',
  'Run the command `node --version` and tell me what it prints.',
  'Find all files whose name ends in .test.js.',
  'Rename the function start in src/app.js to startN.',
  'Say how many lines src/app.js has; look at the file.',
  'Add a line "entry N" at the end of CHANGELOG.md.',
];

/** Measures mode by mode, until `signal` stops it; only the one that the configuration names, if it names one. */
export async function* measureReliability(options: ReliabilityOptions): AsyncGenerator<Reliability> {
  const dir = await mkdtemp(join(tmpdir(), 'sidecar-reliability-'));
  try {
    await writeFile(join(dir, 'CHANGELOG.md'), '# Changes\n');
    const { toolMode } = options.config.model;
    for (const mode of toolMode === 'auto' ? modes : [toolMode]) {
      if (options.signal.aborted) return;
      yield await measureMode(mode, dir, options);
    }
  } finally {
    await rm(dir, { recursive: true, force: true, maxRetries: 3 });
  }
}

async function measureMode(mode: Mode, dir: string, options: ReliabilityOptions): Promise<Reliability> {
  const startMs = performance.now();
  const kinds: string[] = [];
  for (let number = 1; number <= options.answers && !options.signal.aborted; number += 1) {
    const kind = await firstAnswer(mode, number, dir, options);
    if (kind !== undefined) kinds.push(kind);
  }
  const others = kinds.filter((kind) => kind !== 'well-formed');
  return {
    mode,
    answers: kinds.length,
    wellFormed: kinds.length - others.length,
    others: Object.fromEntries(
      [...new Set(others)].map((kind) => [kind, others.filter((one) => one === kind).length]),
    ),
    seconds: (performance.now() - startMs) / 1000,
  };
}

/** The kind of the first answer to a task; undefined when there was none. */
async function firstAnswer(
  mode: Mode,
  number: number,
  dir: string,
  { config, model, signal }: ReliabilityOptions,
): Promise<string | undefined> {
  const heard: { request: RecordedRequest; outcome: ChatOutcome }[] = [];
  const executor = new OllamaExecutor({
    config: {
      ...config,
      model: { ...config.model, toolMode: mode },
    },
    createServer: (baseUrl) => {
      const server = createOllamaServer({ baseUrl });
      return withChat(server, async (request, call) => {
        const outcome = await server.chat(request, call);
        if (request.messages.length > 0) heard.push({ request, outcome });
        return outcome;
      });
    },
  });
  const task = {
    task_id: `reliability-${mode}-${number}`,
    description: (PROMPTS[(number - 1) % PROMPTS.length] ?? '').replaceAll('N', String(number)),
    agentic: true,
    metadata: { max_iterations: 1, strategy: 'loop', seed: number },
  };
  await executor.execute(task, { workspace: dir, model, signal });
  const [first] = heard;
  return first && kindOf(first.request, first.outcome);
}

function kindOf(request: RecordedRequest, outcome: ChatOutcome): string | undefined {
  if (!outcome.ok) return outcome.failure.code === 'model_malformed_call' ? 'malformed' : undefined;
  const parsed = readAnswerOf(request, outcome.value.message);
  if (parsed.type !== 'tool_calls') return parsed.type;
  return parsed.calls.every((call) => typeof call.arguments === 'object')
    ? 'well-formed'
    : 'unreadable arguments';
}

/**
 * How long a person waits for the first question to the model after `run` was typed: the built command line with hub,
 * worker and a worktree of 40 files in one process. The requests that the model server sees on the way cut the time
 * into its parts, so that nothing in the program has to be changed to measure it.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { MODEL, openLab, takeExchanges, type Lab } from './support/lab.ts';
import { median, type Figure } from './support/measure.ts';
import type { Exchange } from './support/model-process.ts';

const RUNS = 9;

/** Milestones in milliseconds after the process was started. */
interface Start {
  /** Node, the command line's modules and the configuration: the preflight's first request. */
  preflight: number;
  /** Preflight, modules of hub and worker, the hub's start: the worker asks which models there are. */
  workerUp: number;
  /** Databases, socket, submission, assignment, worktree and, meanwhile, the executor's modules: the task asks about its model. */
  taskUp: number;
  /** The model was described and its load is asked for: the first `/api/chat`. */
  load: number;
  /** The load was answered and the window looked at: the first question. */
  question: number;
}

export async function bench(): Promise<Figure[]> {
  const lab = await openLab({ rounds: 0 });
  try {
    const figures: Figure[] = [];
    for (const sandbox of ['off', 'auto']) {
      const starts: Start[] = [];
      // The first one reads the files from the disk.
      for (let run = 0; run <= RUNS; run += 1) starts.push(await measureStart(lab, sandbox));
      figures.push(...figuresOf(starts.slice(1), sandbox));
    }
    return figures;
  } finally {
    await lab.close();
  }
}

function figuresOf(starts: readonly Start[], sandbox: string): Figure[] {
  const at = (milestone: keyof Start) => median(starts.map((start) => start[milestone]));
  const between = (from: keyof Start, to: keyof Start) =>
    median(starts.map((start) => start[to] - start[from]));
  const figure = (name: string, value: number, target?: string): Figure => ({
    name: `start: ${name}`,
    value,
    unit: 'ms',
    ...(target && { target }),
  });
  const total = [
    figure(`\`run\` to the first /api/chat, sandbox ${sandbox}`, at('load'), '< 300'),
    figure(`\`run\` to the first question, sandbox ${sandbox}`, at('question')),
  ];
  if (sandbox === 'off') return total;
  return [
    ...total,
    figure('  of it: node, modules of the command line, configuration', at('preflight')),
    figure(
      '  of it: preflight, modules of hub and worker, start of the hub',
      between('preflight', 'workerUp'),
    ),
    figure('  of it: databases, socket, submission, assignment, worktree', between('workerUp', 'taskUp')),
    figure('  of it: description of the model, prompt', between('taskUp', 'load')),
    figure('  of it: load, window, context of the repository', between('load', 'question')),
  ];
}

async function measureStart(lab: Lab, sandbox: string): Promise<Start> {
  const cli = process.env.BENCH_CLI ?? 'dist/cli.js';
  const flags = ['--repo', lab.repos[0] ?? '', '--read-only', '--json', '--ollama-url', lab.modelUrl];
  const startedMs = performance.timeOrigin + performance.now();
  const child = spawn(
    process.execPath,
    [cli, 'run', 'Read the files', ...flags, '--model', MODEL, '--sandbox', sandbox],
    {
      env: {
        ...process.env,
        XDG_STATE_HOME: join(lab.dir, 'state'),
        XDG_DATA_HOME: join(lab.dir, 'data'),
        XDG_CONFIG_HOME: join(lab.dir, 'config'),
      },
      stdio: ['ignore', 'ignore', 'pipe'],
    },
  );
  let said = '';
  child.stderr.on('data', (piece: Buffer) => (said += piece.toString('utf8')));
  const [code] = (await once(child, 'close')) as [number | null];
  if (code !== 0) throw new Error(`\`run\` ended with ${code}: ${said}`);
  return milestones(await takeExchanges(lab), startedMs);
}

function milestones(exchanges: readonly Exchange[], startedMs: number): Start {
  const ordered = exchanges.toSorted((a, b) => a.requestEndMs - b.requestEndMs);
  const since = (exchange: Exchange | undefined) => {
    if (!exchange) throw new Error('a request that begins a part of the start did not come');
    return exchange.requestEndMs - startedMs;
  };
  const lists = ordered.filter(({ path }) => path === '/api/tags');
  const chats = ordered.filter(({ path }) => path === '/api/chat');
  return {
    preflight: since(ordered[0]),
    workerUp: since(lists[1]),
    taskUp: since(lists[2] ?? ordered.find(({ path }) => path === '/api/show')),
    load: since(chats[0]),
    question: since(chats.find(({ chat }) => chat !== undefined)),
  };
}

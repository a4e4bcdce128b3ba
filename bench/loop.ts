/**
 * What the loop adds to a round beside the model and the tools: reading the answer, limits, ledger,
 * journal in a real database, progress, dispatch. The disk's own waiting for a commit is told beside it. And: memory
 * after many rounds, processor time for a streamed token.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, fsyncSync, mkdtempSync, openSync, rmSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import v8 from 'node:v8';
import { runInNewContext } from 'node:vm';
import * as z from 'zod';
import { OllamaExecutor } from '../sidecar/solving/executors/ollama-executor.ts';
import { CostLedger } from '../sidecar/worker/ledger/cost-ledger.ts';
import type { ChatReply, ModelServer } from '../sidecar/model/chat.ts';
import type { JournalStore } from '../sidecar/solving/task/journal.ts';
import { TaskControl } from '../sidecar/solving/task/task-control.ts';
import { openStateDatabase } from '../sidecar/base/storage/state-database.ts';
import { acceptedJournal } from '../test/support/accepted-journal.ts';
import { createToolRegistry } from '../sidecar/tools/registry.ts';

export interface Figure {
  name: string;
  value: number;
  unit: string;
  target?: string;
}

const WARM_UP_ROUNDS = 20;
const STREAMED_TOKENS = 5_000;
const OUTPUT = 'a line of output that a tool may print, with some numbers 12345\n'.repeat(30);

/** A tool that takes no time; with effects, so that the journal commits before and after it. */
const noOpTool = {
  name: 'touch',
  description: 'Does nothing',
  schema: z.object({ n: z.number() }),
  readOnly: false,
  execute: () => Promise.resolve(OUTPUT),
};

interface Rounds {
  /** From one answer of the model to the next question, in milliseconds. */
  addedMs: number[];
  /** Of these, in commits of the journal. */
  commitMs: number[];
  heapBytes: number;
  /** Processor time of the whole run, loading and closing included, for one round. */
  cpuMs: number;
}

/** Runs `count` rounds against a model that answers at once. */
async function measureRounds(count: number): Promise<Rounds> {
  const folder = mkdtempSync(join(tmpdir(), 'sidecar-bench-loop-'));
  const db = await openStateDatabase(folder);
  let commitMs = 0;
  const rounds: Rounds = { addedMs: [], commitMs: [], heapBytes: 0, cpuMs: 0 };
  const journal = timed(acceptedJournal(db, 'bench'), (tookMs) => (commitMs += tookMs));
  let answeredAtMs: number | undefined;
  const server = instantModel(count, {
    asked: () => {
      if (answeredAtMs !== undefined) rounds.addedMs.push(performance.now() - answeredAtMs);
      rounds.commitMs.push(commitMs);
      commitMs = 0;
      if (rounds.addedMs.length === count) rounds.heapBytes = usedHeapBytes();
    },
    answered: () => (answeredAtMs = performance.now()),
  });
  const executor = new OllamaExecutor({
    config: { sandbox: { mode: 'off' }, limits: { agenticTimeoutMs: 3_600_000 } },
    createServer: () => server,
    registry: createToolRegistry([noOpTool]),
    ledger: new CostLedger({ db, budgets: { perDay: { maxTokens: Number.MAX_SAFE_INTEGER } } }),
  });
  const before = process.cpuUsage();
  const task = {
    task_id: 'bench',
    description: 'Work',
    agentic: true,
    metadata: { max_iterations: 1_000, read_only: true },
    routing_decision: { selected_model: 'm' },
  };
  const result = await executor.execute(task, { control: new TaskControl(journal) });
  const { user, system } = process.cpuUsage(before);
  rounds.cpuMs = (user + system) / 1000 / count;
  db.close();
  rmSync(folder, { recursive: true, force: true });
  if (rounds.addedMs.length < count)
    throw new Error(`ended early: ${result.termination_reason} ${result.error}`);
  return rounds;
}

function timed(journal: JournalStore, took: (tookMs: number) => void): JournalStore {
  return {
    read: () => journal.read(),
    append: async (entries, withinMs = 0) => {
      const startedMs = performance.now();
      const onDisk = journal.append(entries, withinMs);
      if (withinMs > 0) took(performance.now() - startedMs);
      await onDisk;
      if (withinMs === 0) took(performance.now() - startedMs);
    },
  };
}

function instantModel(
  rounds: number,
  { asked, answered }: { asked: () => void; answered: () => void },
): ModelServer {
  let round = 0;
  const reply = (message: Partial<ChatReply['message']>, tokensIn: number): ChatReply => ({
    message: { role: 'assistant', content: '', ...message },
    doneReason: 'stop',
    tokensIn,
    tokensOut: 40,
    totalNs: 1,
    loadNs: 0,
    promptEvalNs: 1,
    evalNs: 1,
  });
  const details = { model: 'm', capabilities: ['completion', 'tools'], contextLength: 32_768 };
  const value = <T>(of: T) => Promise.resolve({ ok: true as const, value: of });
  return {
    chat: ({ messages }) => {
      if (messages.length === 0) return value(reply({}, 0));
      asked();
      round += 1;
      const chars = messages.reduce((sum, { content }) => sum + content.length, 0);
      const call = { function: { name: 'touch', arguments: { n: round } } };
      const answer = round > rounds ? { content: 'Done.' } : { tool_calls: [call] };
      const outcome = value(reply(answer, Math.ceil(chars / 4)));
      answered();
      return outcome;
    },
    show: () => value(details),
    list: () => value([{ name: 'm', sizeBytes: 1 }]),
    listLoaded: () => value([]),
    pull: () => value(true as const),
    version: () => value('0'),
    abort: () => undefined,
  };
}

/** Milliseconds that the disk takes to keep four kilobytes. */
function diskSyncMs(): number {
  const folder = mkdtempSync(join(tmpdir(), 'sidecar-bench-sync-'));
  const file = openSync(join(folder, 'file'), 'w');
  const page = Buffer.alloc(4096, 1);
  const times = Array.from({ length: 50 }, () => {
    const startedMs = performance.now();
    writeSync(file, page);
    fsyncSync(file);
    return performance.now() - startedMs;
  });
  closeSync(file);
  rmSync(folder, { recursive: true, force: true });
  return quantile(times, 0.5);
}

/** Processor milliseconds of this process for one token of a stream; the server is a process of its own. */
async function cpuMsPerToken(): Promise<number> {
  const program = `
    let written = 0;
    const part = (more) => JSON.stringify({ model: 'm', created_at: new Date().toISOString(), message: { role: 'assistant', content: ' token' + (written++ % 100) }, done: false, ...more }) + '\\n';
    const server = require('node:http').createServer((request, response) => {
      request.resume();
      if (request.url === '/api/tags') return response.end('{"models":[{"name":"m","size":1}]}');
      if (request.url !== '/api/chat') return response.end('{}');
      let body = '';
      request.on('data', (piece) => (body += piece)).on('end', async () => {
        const { messages, stream } = JSON.parse(body);
        if (messages.length === 0 || !stream) return response.end(part({ done: true }));
        for (let n = 0; n < ${STREAMED_TOKENS}; n += 1) { response.write(part()); if (n % 10 === 9) await new Promise(setImmediate); }
        response.end(part({ done: true, done_reason: 'stop' }));
      });
    });
    server.listen(0, '127.0.0.1', () => console.log(server.address().port));`;
  const child = spawn(process.execPath, ['-e', program], { stdio: ['ignore', 'pipe', 'inherit'] });
  const [port] = (await once(child.stdout, 'data')) as [Buffer];
  const task = {
    task_id: 'bench',
    description: 'Say',
    agentic: false,
    routing_decision: { selected_model: 'm' },
  };
  const config = { ollama_url: `http://127.0.0.1:${port.toString().trim()}` };
  const executor = new OllamaExecutor({ config: { sandbox: { mode: 'off' } } });
  await executor.execute(task, config);
  const before = process.cpuUsage();
  const result = await executor.execute(task, config);
  const { user, system } = process.cpuUsage(before);
  child.kill();
  if (result.status !== 'success') throw new Error(result.error);
  return (user + system) / 1000 / STREAMED_TOKENS;
}

function usedHeapBytes(): number {
  v8.setFlagsFromString('--expose-gc');
  (runInNewContext('gc') as () => void)();
  return process.memoryUsage().heapUsed;
}

function quantile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
}

export async function bench(): Promise<Figure[]> {
  const short = await measureRounds(30);
  const long = await measureRounds(999);
  const steady = <T>(values: T[]) => values.slice(WARM_UP_ROUNDS);
  const added = steady(long.addedMs);
  const own = steady(long.addedMs.map((ms, index) => ms - (long.commitMs[index + 1] ?? 0)));
  const late = own.slice(-200);
  const mebibytes = (bytes: number) => bytes / 1024 / 1024;
  return [
    {
      name: 'loop: added to a round, commits apart, median',
      value: quantile(own, 0.5),
      unit: 'ms',
      target: '< 1',
    },
    {
      name: 'loop: added to a round, commits apart, p95',
      value: quantile(own, 0.95),
      unit: 'ms',
      target: '< 4',
    },
    {
      name: 'loop: the same, rounds 800 to 999, median',
      value: quantile(late, 0.5),
      unit: 'ms',
      target: '< 1',
    },
    { name: 'loop: added to a round, two commits included, median', value: quantile(added, 0.5), unit: 'ms' },
    { name: 'loop: added to a round, two commits included, p95', value: quantile(added, 0.95), unit: 'ms' },
    { name: 'loop: processor time for a round, commits included', value: long.cpuMs, unit: 'ms' },
    { name: 'loop: one sync of this disk', value: diskSyncMs(), unit: 'ms' },
    { name: 'loop: heap after 30 rounds', value: mebibytes(short.heapBytes), unit: 'MiB' },
    { name: 'loop: heap after 999 rounds', value: mebibytes(long.heapBytes), unit: 'MiB' },
    {
      name: 'loop: processor time for a streamed token',
      value: await cpuMsPerToken(),
      unit: 'ms',
      target: '< 0.2',
    },
  ];
}

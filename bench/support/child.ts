/**
 * Child processes that answer questions over IPC: one question at a time, each with an end. What is measured runs in
 * them, so that parts do not share a heap, a JIT or an event loop with what measures.
 */
import { fork, type ChildProcess } from 'node:child_process';
import { join } from 'node:path';

const ANSWER_TIMEOUT_MS = 180_000;

export interface Child {
  readonly pid: number;
  /** What it said when it was ready; what that is says its entry point. */
  readonly ready: unknown;
  /** Asks and waits for the answer. Rejects when the child fails, ends, or says nothing for its time-out. */
  ask(question: object): Promise<unknown>;
  /** Asks it to end and waits until it has. */
  end(): Promise<void>;
}

/** Starts a bundled entry point (`support/…`) and waits until it is ready; `answerTimeoutMs`: for each answer. */
export async function startChild(
  entry: string,
  options: object,
  answerTimeoutMs = ANSWER_TIMEOUT_MS,
): Promise<Child> {
  const bundle = process.env.BENCH_BUNDLE;
  if (bundle === undefined) throw new Error('start benchmarks with `npm run bench`');
  const child = fork(join(bundle, `${entry}.js`), [JSON.stringify(options)], {
    execArgv: (process.env.BENCH_NODE_OPTIONS ?? '').split(' ').filter(Boolean),
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  });
  const ready = await answerOf(child, entry, answerTimeoutMs);
  return {
    pid: child.pid ?? 0,
    ready,
    ask: async (question: object) => {
      const answer = answerOf(child, entry, answerTimeoutMs);
      child.send(question);
      return await answer;
    },
    end: () =>
      new Promise((resolve) => {
        if (child.exitCode !== null) return resolve();
        child.once('exit', () => resolve());
        child.send({ kind: 'end' });
      }),
  };
}

function answerOf(child: ChildProcess, entry: string, timeoutMs: number): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const settle = (act: () => void): void => {
      clearTimeout(timer);
      child.off('message', onMessage);
      child.off('exit', onExit);
      act();
    };
    const onMessage = (message: unknown) => {
      const { error } = message as { error?: string };
      settle(() => (error === undefined ? resolve(message) : reject(new Error(`${entry}: ${error}`))));
    };
    const onExit = (code: number | null) => settle(() => reject(new Error(`${entry} ended with ${code}`)));
    const timer = setTimeout(() => settle(() => reject(new Error(`${entry} did not answer`))), timeoutMs);
    child.on('message', onMessage);
    child.on('exit', onExit);
  });
}

/** The child's side: answers each question with what `answer` returns; `end` runs `close` and leaves. */
export function answerQuestions(
  ready: object,
  answer: (question: unknown) => Promise<object>,
  close: () => Promise<void>,
): void {
  const reply = (message: object) => process.send?.(message);
  process.on('message', (question: unknown) => {
    if ((question as { kind: string }).kind === 'end') {
      void close().finally(() => process.disconnect());
      return;
    }
    answer(question).then(reply, (error: unknown) =>
      reply({ error: error instanceof Error ? (error.stack ?? error.message) : String(error) }),
    );
  });
  reply(ready);
}

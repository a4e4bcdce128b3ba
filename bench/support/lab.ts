/** The laboratory of the loop's benchmarks: repositories, a scripted model and a session, each where it belongs. */
import { startChild, type Child } from './child.ts';
import type { ChatFacts, Exchange, ModelProcessOptions } from './model-process.ts';
import { createBenchFolder, createRepository } from './repositories.ts';
import type { MemoryAnswer, RunAnswer, RunQuestion, SessionProcessOptions } from './session-process.ts';

export const MODEL = 'scripted:bench';

export interface Lab {
  dir: string;
  repos: string[];
  model: Child;
  modelUrl: string;
  close(): Promise<void>;
}

/** Makes the folder, `repos` repositories in it, and the model. */
export async function openLab(options: ModelProcessOptions, repos = 1): Promise<Lab> {
  const folder = createBenchFolder();
  const model = await startChild('support/model-process', options);
  return {
    dir: folder.dir,
    repos: Array.from({ length: repos }, (_, index) => createRepository(folder.dir, `repo${index + 1}`)),
    model,
    modelUrl: (model.ready as { url: string }).url,
    close: async () => {
      await model.end();
      folder.remove();
    },
  };
}

export interface Session {
  child: Child;
  /** Runs one task in each of `repos` at once; throws when one did not end with an answer. */
  run(
    repos: readonly string[],
    options?: Pick<RunQuestion, 'task' | 'watchesLoop'>,
  ): Promise<{ answer: RunAnswer; exchanges: Exchange[] }>;
  peakRssBytes(): Promise<number>;
}

/** Starts hub and worker in one process of their own. */
export async function openSession(
  lab: Lab,
  options: Pick<SessionProcessOptions, 'sandbox' | 'state' | 'concurrency' | 'maxContextTokens'>,
): Promise<Session> {
  const child = await startChild('support/session-process', {
    ...options,
    role: 'both',
    dir: lab.dir,
    modelUrl: lab.modelUrl,
    model: MODEL,
  } satisfies SessionProcessOptions);
  await takeExchanges(lab);
  return sessionOf(lab, child);
}

/** `asked`: the process that has the hub. */
export function sessionOf(lab: Lab, asked: Child): Session {
  return {
    child: asked,
    run: async (repos, options) => {
      const answer = (await asked.ask({ kind: 'run', repos, maxIterations: 1000, ...options })) as RunAnswer;
      const failed = answer.endings.find((ending) => ending !== 'final_answer');
      if (failed) throw new Error(`a task of the benchmark ended with ${failed}`);
      return { answer, exchanges: await takeExchanges(lab) };
    },
    peakRssBytes: async () => ((await asked.ask({ kind: 'memory' })) as MemoryAnswer).peakRssBytes,
  };
}

/** What the model was asked since the last time; its memory of prompts begins anew. */
export async function takeExchanges(lab: Lab): Promise<Exchange[]> {
  return ((await lab.model.ask({ kind: 'take' })) as { exchanges: Exchange[] }).exchanges;
}

export type Chat = Exchange & { chat: ChatFacts };

/** Requests that asked the model something, in order. */
export const chatsOf = (exchanges: readonly Exchange[]): Chat[] =>
  exchanges
    .filter((exchange): exchange is Chat => exchange.chat !== undefined)
    .sort((a, b) => a.requestEndMs - b.requestEndMs);

/** From each answer's last byte to the last byte of the next request, in milliseconds. */
export const gapsOf = (chats: readonly Chat[]): number[] =>
  chats.slice(1).map((chat, index) => chat.requestEndMs - (chats[index]?.answerEndMs ?? 0));

/**
 * Lives of one task in this process: each ends with its result or, as a killed worker's, at the death of its journal.
 * What a life leaves (`Place`, the journal) is given to the next one.
 */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { TaskResult } from '../../sidecar/base/protocol/result.ts';
import { TaskControl } from '../../sidecar/solving/task/task-control.ts';
import type { ScenarioInput } from '../../sidecar/model/scripted/scenario.ts';
import { startScriptedModel } from '../../sidecar/model/scripted/server.ts';
import { prepared } from '../workspace/prepared.ts';
import { repository, temporaryFolder } from '../workspace/repositories.ts';
import { Killed, type DyingJournal } from './dying-journal.ts';
import { chatsOf, type ChatBody, type NamedCall } from './scripted-model.ts';
import { execute, type RunOptions } from './scripted-run.ts';

export interface Life {
  /** Missing where the journal died. */
  result?: TaskResult;
  /** What this life asked of the model. */
  chats: ChatBody[];
}

/** A life against a model server of its own, which is gone with it. */
export async function live(
  scenario: ScenarioInput,
  journal: DyingJournal,
  options: Omit<RunOptions, 'server'> = {},
): Promise<Life> {
  const server = await startScriptedModel({ scenario });
  let result: TaskResult | undefined;
  try {
    ({ result } = await execute({
      server,
      ...options,
      execute: { control: new TaskControl(journal), ...options.execute },
    }));
  } catch (error) {
    if (!(error instanceof Killed)) throw error;
  } finally {
    await server.close();
  }
  return { chats: chatsOf(server), ...(result && { result }) };
}

/** What outlives a worker: the folder of its caches and workspaces, and the task's repository. */
export interface Place {
  root: string;
  repo: string;
}
export const newPlace = (): Place => ({ root: temporaryFolder(), repo: repository() });

/** A scenario whose commands write into the file `log`. */
export type ScenarioWithLog = (log: string) => ScenarioInput;

/** The arguments of `calls` for a command that writes `id` into `log`, each time that it runs. */
export const echo = (log: string, id: string): NamedCall => ['shell', { command: `echo ${id} >> ${log}` }];

/** A life on a repository; `effects` are the lines of its log, those of earlier lives in this place among them. */
export async function liveIn(
  { root, repo }: Place,
  scenarioOf: ScenarioWithLog,
  journal: DyingJournal,
  options: Omit<RunOptions, 'server'> = {},
): Promise<Life & { effects: string[] }> {
  const log = join(root, 'effects.log');
  const where = { cacheDir: join(root, 'cache'), worktreesDir: join(root, 'worktrees') };
  const workspace = await prepared({ task_id: 't1', repo }, where);
  const life = await live(scenarioOf(log), journal, {
    ...options,
    task: { repo, ...options.task },
    execute: { workspace, ...options.execute },
  });
  const written = await readFile(log, 'utf8').catch(() => '');
  return { ...life, effects: written.split('\n').filter(Boolean) };
}

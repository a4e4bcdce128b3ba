/** Lives of a task in a loop that another stage has prepared, in a folder of its own for each test. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeEach } from '@jest/globals';
import type { ConfigInput } from '../../../sidecar/base/config/schema.ts';
import { AgentLoop, type AgentLoopOptions } from '../../../sidecar/solving/loop/agent-loop.ts';
import { runTaskChecks } from '../../../sidecar/solving/task/checking/run-task-checks.ts';
import { executeTask } from '../../../sidecar/solving/executors/execute-task.ts';
import { completeSettings } from '../../../sidecar/solving/executors/executor-settings.ts';
import { ONE_ATTEMPT } from '../../../sidecar/solving/solve/solving-options.ts';
import { solve } from '../../../sidecar/solving/solve/solve.ts';
import type { ModelWay } from '../../../sidecar/solving/solve/way.ts';
import { TaskControl } from '../../../sidecar/solving/task/task-control.ts';
import type { TaskRun } from '../../../sidecar/solving/task/task-run.ts';
import type { ExecutionEvent } from '../../../sidecar/base/protocol/events.ts';
import { taskSchema, type TaskInput } from '../../../sidecar/base/protocol/task.ts';
import type { TaskResult } from '../../../sidecar/base/protocol/result.ts';
import type { ScenarioInput } from '../../../sidecar/model/scripted/scenario.ts';
import { Scheduler } from '../../../sidecar/model/servers/scheduler.ts';
import { Killed, type DyingJournal } from '../../support/dying-journal.ts';
import { call, chatsOf, scenario, testModel, type ChatBody } from '../../support/scripted-model.ts';
import { tempFolders } from '../../support/temp-folder.ts';
import { prepared } from '../../workspace/prepared.ts';
import { cleanUp, repository, temporaryFolder } from '../../workspace/repositories.ts';

const folder = tempFolders();
export const before = 'def add(a, b):\n    return a - b\n\n\ndef twice(a):\n    return a * 2\n';
export const check = { type: 'file_contains' as const, target: 'calc.py::a + b' };
export const code = (sum: string) =>
  `The sign.\n\n\`\`\`python\n# calc.py\ndef add(a, b):\n    return ${sum}\n\`\`\`\n`;
export const edit = (from: string, to: string) =>
  call('edit_file', { file_path: 'calc.py', old_string: from, new_string: to });

export let dir: string;
export const begin = async (): Promise<void> => {
  dir = folder();
  await writeFile(join(dir, 'calc.py'), before);
};
beforeEach(begin);
afterAll(cleanUp);

/** What outlives a worker: its folders, and the repository of the task. */
export interface Place {
  root: string;
  repo: string;
}
export const newPlace = (repo = repository({ 'calc.py': before })): Place => ({
  root: temporaryFolder(),
  repo,
});
const workspaceIn = ({ root, repo }: Place) =>
  prepared({ task_id: 't1', repo }, { cacheDir: join(root, 'cache'), worktreesDir: join(root, 'worktrees') });

export interface Story {
  turns: ScenarioInput['turns'];
  options?: (run: TaskRun) => AgentLoopOptions;
  task?: Partial<TaskInput>;
  journal?: DyingJournal;
  /** Where the task has a worktree that a worker finds again; it works in `dir` otherwise. */
  place?: Place;
  config?: ConfigInput;
  /** The model is asked the same several times: its answers go by the seed. */
  isAskedAgain?: boolean;
  /** What a person says once, when code of an answer has been put in. */
  wish?: string;
}

/** What the checks say of the base, as a prepared loop is given it. */
export const baseOf =
  (run: TaskRun, baseMs?: number): AgentLoopOptions['loadBaseReport'] =>
  async () => {
    const base = await runTaskChecks(run, { state: 'present' });
    if (!base) throw new Error('the task has no checks');
    const measured = baseMs === undefined ? base : { ...base, duration_ms: baseMs };
    return { report: Promise.resolve(measured) };
  };

export async function live({
  turns,
  options,
  task,
  journal,
  place,
  config,
  isAskedAgain = false,
  wish,
}: Story): Promise<{
  result?: TaskResult;
  chats: ChatBody[];
  told: string[];
}> {
  const again = {
    name: 'again',
    when: { system: 'You change' },
    position: 'seed' as const,
    turns: turns ?? [],
  };
  const server = await testModel(isAskedAgain ? { ...scenario([]), scripts: [again] } : scenario(turns));
  const settings = completeSettings({
    config: { sandbox: { mode: 'off' }, ...config },
  });
  const loop: ModelWay = {
    open: ({ run, models }) =>
      new AgentLoop(run, models.ownModel, options?.(run) ?? { loadBaseReport: baseOf(run) }),
  };
  const models = { url: server.url, scheduler: new Scheduler(), putsTasksOnHold: false };
  const input = {
    task_id: 't1',
    description: 'Fix add()',
    routing_decision: { selected_model: 'm' },
    verification_steps: [check],
    ...(place && { repo: place.repo }),
    ...task,
  };
  const control = new TaskControl(journal);
  let result: TaskResult | undefined;
  try {
    const execution = {
      task: taskSchema.parse(input),
      agentic: true,
      options: { ...(place ? { workspace: await workspaceIn(place) } : { repo_dir: dir }), control },
      onProgress: ({ text }: ExecutionEvent) => {
        if (wish === undefined || !text.includes('was put into')) return;
        control.steer(wish);
        wish = undefined;
      },
    };
    result = await executeTask(settings, execution, (run) =>
      solve(run, { way: loop, plan: ONE_ATTEMPT, models }),
    );
  } catch (error) {
    if (!(error instanceof Killed)) throw error;
  }
  const chats = chatsOf(server);
  return {
    chats,
    told: chats.map(({ messages }) => messages.at(-1)?.content ?? ''),
    ...(result && { result }),
  };
}

/**
 * Hands the suite's own solutions in as a model would, and looks what arrives: the same tree, byte for byte, or another one
 * that passes the hidden checks or fails them. A fresh clone of each branch that is verified passes the given checks. Everything between is the program's own: the executor, the copies, the checks.
 */
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { configSchema } from '../../sidecar/base/config/schema.ts';
import { haveAllPassed, runHiddenCommands } from '../../sidecar/cli/evaluate/judge.ts';
import { OllamaExecutor } from '../../sidecar/solving/executors/ollama-executor.ts';
import type { TaskResult } from '../../sidecar/base/protocol/result.ts';
import type { ScenarioInput } from '../../sidecar/model/scripted/scenario.ts';
import { startScriptedModel } from '../../sidecar/model/scripted/server.ts';
import { runGitCommand } from '../../sidecar/cli/evaluate/trees.ts';
import { provideDependencies } from '../../sidecar/workspace/prepare-commands.ts';
import { prepareWorkspace } from '../../sidecar/workspace/prepare-workspace.ts';
import { holdsInFreshClone } from '../support/fresh-clone.ts';
import { ANSWER_FORMS, type AnswerForm } from './answer-forms.ts';
import { callsBy, TOOL_FORMS, type ToolForm } from './tool-forms.ts';
import type { SolvedTask } from './solved-task.ts';

export type Form = AnswerForm | ToolForm;
export const FORMS = [...(Object.keys(ANSWER_FORMS) as AnswerForm[]), ...TOOL_FORMS];

/** `asItIs`: the tree is the solution's; one that is not is judged by the hidden checks. `reason`: what differs. */
export interface Arrival {
  task: string;
  form: Form;
  asItIs: boolean;
  passesHidden: boolean;
  reason?: string;
}

/** Undefined where the solution cannot be said in this form. */
export async function handIn(solved: SolvedTask, form: Form): Promise<Arrival | undefined> {
  const scenario = await scenarioFor(solved, form);
  if (!scenario) return undefined;
  const dir = await solved.tree();
  const model = await startScriptedModel({ scenario });
  try {
    const result = await run(solved, { dir, url: model.url, isDraft: isAnswerForm(form) });
    const arrival = { task: solved.task.id, form };
    holdsInFreshClone(result, dir, checksOf(solved), join(dir, 'node_modules'));
    await takeBranch(dir, result);
    const reason = await differenceIn(solved, dir, result);
    // That the solution itself passes is what validating the suite looks at.
    if (reason === undefined) return { ...arrival, asItIs: true, passesHidden: true };
    const hidden = await runHiddenCommands(solved.task, dir, {
      config: configSchema.parse({ sandbox: { mode: 'off' } }),
    });
    return { ...arrival, asItIs: false, passesHidden: haveAllPassed(hidden), reason };
  } finally {
    await model.close();
    await rm(dir, { recursive: true, force: true, maxRetries: 3 });
  }
}

const MAX_TURNS = 100;

const isAnswerForm = (form: Form): form is AnswerForm => Object.hasOwn(ANSWER_FORMS, form);

async function scenarioFor(solved: SolvedTask, form: Form): Promise<ScenarioInput | undefined> {
  const models = [{ name: 'm' }];
  if (!isAnswerForm(form)) return { models, turns: callsBy(form, solved) };
  const content = await ANSWER_FORMS[form](solved);
  if (content === undefined) return undefined;
  return { models, turns: [{ reply: { content, verbatim: true }, repeat: 'always' }] };
}

const checksOf = ({ task }: SolvedTask) =>
  task.check.map((target) => ({ type: 'command_succeeds' as const, target }));

/** Puts the branch of a result into the tree, as changes to what it began from. */
async function takeBranch(dir: string, { changes: { branch } }: TaskResult): Promise<void> {
  if (typeof branch !== 'string') return;
  const base = (await runGitCommand(dir, 'rev-parse', 'HEAD')).trim();
  await runGitCommand(dir, 'checkout', '--quiet', '--detach', branch);
  await runGitCommand(dir, 'reset', '--quiet', '--soft', base);
}

async function run(
  solved: SolvedTask,
  { dir, url, isDraft }: { dir: string; url: string; isDraft: boolean },
): Promise<TaskResult> {
  const solving = isDraft
    ? { strategy: 'drafts' as const, drafts: 2, repairs: 0 }
    : { strategy: 'loop' as const };
  const executor = new OllamaExecutor({
    config: { sandbox: { mode: 'off' }, solving, ollama: { slots: 1 } },
  });
  const folder = await mkdtemp(join(tmpdir(), 'sidecar-hand-in-'));
  const task = { task_id: 'oracle', repo: dir };
  const [cacheDir, worktreesDir] = [join(folder, 'cache'), join(folder, 'worktrees')];
  const workspace = await prepareWorkspace({ task, cacheDir, worktreesDir });
  if (!workspace.ok) throw new Error(workspace.failure.message);
  try {
    await provideDependencies({
      workspace: workspace.value,
      share: 'auto',
      prepare: [],
      cacheDir,
      sandboxed: false,
      openEnvironment: () => {
        throw new Error('nothing is prepared');
      },
    });
    return await executor.execute(
      {
        ...task,
        description: solved.task.prompt,
        agentic: true,
        verification_steps: checksOf(solved),
        may_change_checks: solved.task.mayChangeChecks,
        // One call a turn takes as many turns as there are calls: the limit is not what is looked at.
        metadata: { max_iterations: MAX_TURNS },
        routing_decision: { selected_model: 'm' },
      },
      { workspace: workspace.value, ollama_url: url },
      () => undefined,
    );
  } finally {
    await rm(folder, { recursive: true, force: true, maxRetries: 3 });
  }
}

/** How the tree differs from the solution's, in a line; undefined where it does not. */
async function differenceIn(
  { files }: SolvedTask,
  dir: string,
  result: TaskResult,
): Promise<string | undefined> {
  const wanted = new Map(files.map(({ path, after }) => [path, after]));
  const changed = await runGitCommand(
    dir,
    'status',
    '--porcelain',
    '--no-renames',
    '--untracked-files=all',
    '-z',
  );
  const others = changed
    .split('\0')
    .filter(Boolean)
    .map((line) => line.slice(3))
    .filter((path) => !wanted.has(path));
  const differing: string[] = others.map((path) => `${path} is changed`);
  for (const [path, after] of wanted) {
    const now = await readFile(join(dir, path), 'utf8').catch(() => undefined);
    if (now !== after)
      differing.push(
        now === files.find((file) => file.path === path)?.before
          ? `${path} is as it was`
          : `${path} is another`,
      );
  }
  if (differing.length === 0) return undefined;
  return `${differing.join(', ')} (${result.status}; ${said(result)})`;
}

const said = ({ output, error }: TaskResult): string =>
  (error ?? output ?? '').replaceAll(/\s+/gu, ' ').slice(-160);

/**
 * `demo`: lets the agent repair a small repository with a failing test, through hub, worker, worktree and sandbox. Uses
 * Ollama if it answers and has a model, else the scripted model.
 */
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { recommendModels } from '../../model/recommend.ts';
import { measureMachineMemory } from '../../base/system/machine-memory.ts';
import { CleanupStack } from '../../base/system/cleanup-stack.ts';
import { checkModel, type CheckedModel } from '../check-model.ts';
import { checkGit, checkSandbox } from '../preflight.ts';
import { createDemoRepository, DEMO_TASK } from '../demo/repository.ts';
import scenario from '../demo/scenario.json' with { type: 'json' };
import { CommandError, type ExitCode } from '../exit-codes.ts';
import { followTask } from '../follow-task.ts';
import { runInterruptible, type Interruption } from '../interruption.ts';
import { startLocalSession } from '../local-session.ts';
import { loadSettings, type CommandFlags } from '../settings.ts';
import type { MergeDescriber } from '../merge-instructions.ts';
import { createTerminal, type Terminal } from '../terminal.ts';
import type { Config } from '../../base/config/schema.ts';
import type { ScenarioInput } from '../../model/scripted/scenario.ts';
import { makeTemporaryFolder } from '../../base/system/temporary-folder.ts';

interface DemoOptions extends CommandFlags {
  keep?: boolean;
  model?: string;
}

export const demoCommand = (options: DemoOptions): Promise<void> =>
  runInterruptible((interruption) => runDemo(options, interruption));

async function runDemo(options: DemoOptions, interruption: Interruption): Promise<ExitCode> {
  const terminal = createTerminal(options.json);
  const { config } = await loadSettings(options);
  await checkGit();
  const dir = makeTemporaryFolder('ollama-sidecar-demo-');
  const repo = join(dir, 'cart');
  const cleanup = new CleanupStack();
  if (!options.keep) cleanup.add(() => rm(dir, { recursive: true, force: true }));
  try {
    await createDemoRepository(repo);
    const model = await findModel(terminal, config, options.model, cleanup);
    await showIntroduction(terminal, config, repo, model);
    const session = await startLocalSession({
      config: useModel(config, model),
      logLevel: 'error',
      state: 'temporary',
      workerId: 'demo',
    });
    cleanup.add(() => session.close());
    if (interruption.exitCode !== undefined) return interruption.exitCode;
    const submitted = await session.client.submit({ ...DEMO_TASK, repo, max_attempts: 1 });
    const code = await followTask({
      terminal,
      client: session.client,
      taskId: submitted.task_id,
      workerLost: session.workerLost,
      interruption,
      ...(options.keep ? {} : { describeMerge: describeRemoval }),
    });
    await showNextSteps(terminal, { repo, model, kept: options.keep === true });
    return code;
  } finally {
    await cleanup.close();
  }
}

/** Announces, in place of the merge commands, that the demo's repository is deleted at the end. */
const describeRemoval: MergeDescriber = () =>
  Promise.resolve({
    intro: 'The branch and the repository are deleted now. Use --keep to retain them.',
    commands: [],
  });

/** Returns a usable model of Ollama, else the scripted model. */
async function findModel(
  terminal: Terminal,
  config: Config,
  requestedModel: string | undefined,
  cleanup: CleanupStack,
): Promise<CheckedModel> {
  try {
    return await checkModel(config, requestedModel);
  } catch (error) {
    if (!(error instanceof CommandError) || requestedModel !== undefined) throw error;
    terminal.note(`Ollama cannot be used: ${error.message}`);
  }
  const { startScriptedModel } = await import('../../model/scripted/server.ts');
  const server = await startScriptedModel({ scenario: scenario as ScenarioInput });
  cleanup.add(() => server.close());
  return { url: server.url, name: 'scripted:demo', isScripted: true };
}

function useModel(config: Config, model: CheckedModel): Config {
  // The scripted model's repair is recorded with one draft at a time.
  const { slots } = model.isScripted ? { slots: 1 } : config.ollama;
  return {
    ...config,
    ollama: { ...config.ollama, slots, url: model.url, endpoints: [] },
    model: { ...config.model, default: model.name },
    // The demo fails at once if its model server goes down, instead of waiting for it.
    limits: { ...config.limits, holdTimeoutMs: 0 },
  };
}

async function showIntroduction(
  terminal: Terminal,
  config: Config,
  repo: string,
  model: CheckedModel,
): Promise<void> {
  const { line, prose, color, json } = terminal;
  const warning = await checkSandbox(config);
  if (warning) terminal.note(warning);
  if (json) return;
  const modelText = model.isScripted
    ? `${color.yellow('scripted model')} (not a real model: it replays a recorded repair)`
    : model.name;
  line(color.bold('A small repository with a failing test, repaired by the agent'));
  line(`  repository  ${repo}`);
  line(`  model       ${modelText}`);
  line(`  sandbox     ${warning ? color.yellow('none') : 'bubblewrap, no network'}`);
  prose(`  task        ${DEMO_TASK.description}`, ' '.repeat(12));
  line();
}

async function showNextSteps(
  terminal: Terminal,
  { repo, model, kept: isKept }: { repo: string; model: CheckedModel; kept: boolean },
): Promise<void> {
  if (terminal.json) return;
  const { line, prose, color } = terminal;
  line();
  if (model.isScripted) {
    prose(
      color.yellow('  This was the scripted model. To run real tasks, start Ollama and pull a model:'),
      '',
    );
    const [best] = recommendModels(await measureMachineMemory());
    line(best ? `    ollama-sidecar models pull ${best.name}` : '    ollama-sidecar models recommend');
  }
  if (isKept) prose(`  The repository remains in ${repo}`, '');
  line('  Next:');
  if (process.env.npm_lifecycle_event) line('    npm install -g .       installs the command');
  line('    ollama-sidecar run "make the tests pass" --repo DIR --verify "npm test"');
  line('    ollama-sidecar up      hub, worker and dashboard');
}

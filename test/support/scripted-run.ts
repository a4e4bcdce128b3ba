/** One execution of a task in a folder, against a scripted model: what a test of the executor looks at. */
import type { ConfigInput } from '../../sidecar/base/config/schema.ts';
import { holdsInFreshClone } from './fresh-clone.ts';
import { loopAlone } from './loop-alone.ts';
import {
  OllamaExecutor,
  type ExecuteConfig,
  type OllamaExecutorDeps,
} from '../../sidecar/solving/executors/ollama-executor.ts';
import type { ExecutionEvent } from '../../sidecar/base/protocol/events.ts';
import type { TaskResult } from '../../sidecar/base/protocol/result.ts';
import type { TaskInput } from '../../sidecar/base/protocol/task.ts';
import type { ScriptedModelServer } from '../../sidecar/model/scripted/server.ts';

export interface RunOptions {
  server: Pick<ScriptedModelServer, 'url'>;
  dir?: string;
  task?: Partial<TaskInput>;
  config?: ConfigInput;
  deps?: Partial<OllamaExecutorDeps>;
  execute?: ExecuteConfig;
  onProgress?: (event: ExecutionEvent) => void;
}

/** Runs an agentic task for the model `m`. Rejects as `execute` does, and where what is verified fails in a fresh clone. */
export async function execute(
  options: RunOptions,
): Promise<{ result: TaskResult; events: ExecutionEvent[] }> {
  const { server, dir, task, config, deps, onProgress } = options;
  const events: ExecutionEvent[] = [];
  const executor = new OllamaExecutor({
    config: { ...loopAlone, sandbox: { mode: 'off' }, ...config },
    ...deps,
  });
  const result = await executor.execute(
    {
      task_id: 't1',
      description: 'Do it',
      agentic: true,
      routing_decision: { selected_model: 'm' },
      ...task,
    },
    { ...(dir === undefined ? {} : { repo_dir: dir }), ollama_url: server.url, ...options.execute },
    (event) => {
      events.push(event);
      onProgress?.(event);
    },
  );
  const { workspace } = options.execute ?? {};
  if (typeof workspace === 'object' && workspace.repo !== undefined)
    holdsInFreshClone(result, workspace.repo, task?.verification_steps);
  return { result, events };
}

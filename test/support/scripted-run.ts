/** One execution of a task in a folder, against a scripted model: what a test of the executor looks at. */
import type { ConfigInput } from '../../sidecar/config/schema.ts';
import type { ChatMessage } from '../../sidecar/model/chat.ts';
import {
  OllamaExecutor,
  type ExecuteConfig,
  type OllamaExecutorDeps,
} from '../../sidecar/execution/ollama-executor.ts';
import type { ExecutionEvent } from '../../sidecar/protocol/events.ts';
import type { TaskResult } from '../../sidecar/protocol/result.ts';
import type { TaskInput } from '../../sidecar/protocol/task.ts';
import type { ScenarioInput } from '../../sidecar/scripted-model/scenario.ts';
import type { ScriptedModelServer } from '../../sidecar/scripted-model/server.ts';

/** A turn that calls one tool. */
export const call = (name: string, args: Record<string, unknown> = {}) => ({
  reply: { tool_calls: [{ name, arguments: args }] },
});
/** A turn that calls several. */
export const calls = (...list: [name: string, args: Record<string, unknown>][]) => ({
  reply: { tool_calls: list.map(([name, args]) => ({ name, arguments: args })) },
});
/** A turn that only says something. */
export const say = (content: string) => ({ reply: { content } });
/** Said word for word, also where the mode would wrap it. */
export const verbatim = (content: string) => ({ reply: { content, verbatim: true } });

export const scenario = (turns: ScenarioInput['turns'], more: ScenarioInput = {}): ScenarioInput => ({
  models: [{ name: 'm' }],
  turns,
  ...more,
});

export interface ChatBody {
  messages: ChatMessage[];
  tools?: unknown[];
  format?: object;
  options: { num_ctx?: number };
  stream: boolean;
}

/** The chats that were asked of the model, oldest first; loading it is none. */
export function chatsOf({ requests }: Pick<ScriptedModelServer, 'requests'>): ChatBody[] {
  return requests
    .filter(({ path }) => path === '/api/chat')
    .map(({ body }) => body as ChatBody)
    .filter(({ messages }) => messages.length > 0);
}

export interface RunOptions {
  server: Pick<ScriptedModelServer, 'url'>;
  dir?: string;
  task?: Partial<TaskInput>;
  config?: ConfigInput;
  deps?: Partial<OllamaExecutorDeps>;
  execute?: ExecuteConfig;
  onProgress?: (event: ExecutionEvent) => void;
}

/** Runs an agentic task for the model `m`. Rejects as `execute` does. */
export async function execute(
  options: RunOptions,
): Promise<{ result: TaskResult; events: ExecutionEvent[] }> {
  const { server, dir, task, config, deps, onProgress } = options;
  const events: ExecutionEvent[] = [];
  const executor = new OllamaExecutor({ config: { sandbox: { mode: 'off' }, ...config }, ...deps });
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
  return { result, events };
}

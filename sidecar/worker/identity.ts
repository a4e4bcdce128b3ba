/** What a worker tells the hub about itself. */
import type { Config } from '../config/schema.ts';
import { isLoopback } from '../hub-link/hub-url.ts';
import { detectSandbox } from '../environment/sandbox-detect.ts';
import type { WorkerIdentity } from '../hub-link/types.ts';
import type { ModelServer } from '../ports.ts';
import { VERSION } from '../system/version.ts';
import { mostTasks } from './task-queue.ts';

const MODELS_TIMEOUT_MS = 3_000;

/** Asks the model servers what is installed; one may start after the worker, then the hub does not learn of its models. */
export async function workerIdentity(
  config: Config,
  urls: readonly string[],
  createServer: (baseUrl: string) => ModelServer,
): Promise<WorkerIdentity> {
  const { hub } = config;
  const signal = AbortSignal.timeout(MODELS_TIMEOUT_MS);
  const lists = await Promise.all(urls.map((url) => createServer(url).list(signal)));
  const names = lists.flatMap((list) => (list.ok ? list.value.map(({ name }) => name) : []));
  return {
    agentId: hub.agentId ?? '',
    token: hub.token ?? '',
    name: hub.name,
    capabilities: hub.labels,
    capacity: mostTasks(config),
    models: [...new Set(names)],
    version: VERSION,
    ollamaUrl: urls[0],
  };
}

/** `bubblewrap`, or why commands run without a sandbox. Throws where it is required and does not work. */
export async function sandboxLabel({
  sandbox: { mode, unconfined },
  hub,
}: Pick<Config, 'sandbox' | 'hub'>): Promise<string> {
  if (mode === 'off') return 'off';
  const found = await detectSandbox();
  if (found.available) return 'bubblewrap';
  if (mode === 'required') {
    throw unavailable(`sandbox.mode is "required" and bubblewrap does not work: ${found.reason}`);
  }
  if (unconfined === 'refuse' && !isOnThisMachine(hub.url)) {
    throw unavailable(
      `the hub is on another machine and commands would not be confined: ${found.reason}. Install bubblewrap, or set sandbox.unconfined to "allow"`,
    );
  }
  return `none: ${found.reason}`;
}

const unavailable = (message: string): Error =>
  Object.assign(new Error(message), { code: 'sandbox_unavailable' });

/** An address that is none is refused elsewhere, by its own name. */
const isOnThisMachine = (url: string | undefined): boolean =>
  url === undefined || !URL.canParse(url) || isLoopback(new URL(url).hostname);

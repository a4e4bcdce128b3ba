/** What a worker tells the hub about itself. */
import { normalizeUrl } from '../addresses/ollama-url.ts';
import type { Config } from '../config/schema.ts';
import { detectSandbox } from '../environment/sandbox-detect.ts';
import type { WorkerIdentity } from '../hub-link/types.ts';
import type { ModelServer } from '../ports.ts';
import { VERSION } from '../system/version.ts';

const MODELS_TIMEOUT_MS = 3_000;

/** Asks the model server what is installed; it may start after the worker, then the hub learns of no models. */
export async function workerIdentity(
  { hub, worker, ollama }: Config,
  server: ModelServer,
): Promise<WorkerIdentity> {
  const installed = await server.list(AbortSignal.timeout(MODELS_TIMEOUT_MS));
  return {
    agentId: hub.agentId ?? '',
    token: hub.token ?? '',
    name: hub.name,
    capabilities: hub.labels,
    capacity: worker.concurrency,
    models: installed.ok ? installed.value.map(({ name }) => name) : [],
    version: VERSION,
    // As others can use it: `OLLAMA_HOST` may be a bare host or port.
    ollamaUrl: normalizeUrl(ollama.url),
  };
}

/** `bubblewrap`, or why commands run without a sandbox. Throws where it is required and does not work. */
export async function sandboxLabel({ sandbox: { mode } }: Pick<Config, 'sandbox'>): Promise<string> {
  if (mode === 'off') return 'off';
  const found = await detectSandbox();
  if (found.available) return 'bubblewrap';
  if (mode === 'auto') return `none: ${found.reason}`;
  const message = `sandbox.mode is "required" and bubblewrap does not work: ${found.reason}`;
  throw Object.assign(new Error(message), { code: 'sandbox_unavailable' });
}

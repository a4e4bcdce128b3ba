/**
 * The Ollama server that the tests in this folder ask: `OLLAMA_HOST`, else the usual address. Where none answers, or it
 * has no model, the tests are skipped and say so. `SIDECAR_MODEL` names the model; default: the smallest installed.
 */
import { describe } from '@jest/globals';
import { normalizeOllamaUrl } from '../../sidecar/base/addresses/ollama-url.ts';
import type { ChatCall, ChatReply, ChatRequest, ModelServer } from '../../sidecar/model/chat.ts';
import { createOllamaServer } from '../../sidecar/model/ollama-server.ts';
import { isScriptedVersion } from '../../sidecar/model/scripted/models.ts';

export const url = normalizeOllamaUrl(process.env.OLLAMA_HOST || 'http://127.0.0.1:11434');
/** Small, so that a loaded window is the same in all tests and the model is loaded once. */
export const WINDOW = 4096;

const PROBE_TIMEOUT_MS = 5_000;

interface Found {
  model: string;
  why: string;
}

async function find(): Promise<Found> {
  const server = createOllamaServer({ baseUrl: url });
  const signal = AbortSignal.timeout(PROBE_TIMEOUT_MS);
  const [version, installed] = await Promise.all([server.version(signal), server.list(signal)]);
  if (!installed.ok) return { model: '', why: `no Ollama answers at ${url}` };
  if (version.ok && isScriptedVersion(version.value)) return { model: '', why: `${url} is a scripted model` };
  const smallest = installed.value.toSorted((a, b) => a.sizeBytes - b.sizeBytes)[0];
  const model = process.env.SIDECAR_MODEL || smallest?.name;
  return model ? { model, why: '' } : { model: '', why: `the Ollama at ${url} has no model` };
}

const found = await find();
export const { model } = found;
// Jest shows no console of a suite that is skipped.
if (model === '') process.stderr.write(`Skipped: ${found.why}. scripts/real-ollama.sh sets one up.\n`);
/** `describe`, skipped where there is no server to ask. */
export const describeReal = model === '' ? describe.skip : describe;

export const openServer = (): ModelServer => createOllamaServer({ baseUrl: url });

/** One answer at temperature 0; throws where the server gives none. */
export async function ask(
  content: string,
  more: Partial<ChatRequest> = {},
  call: ChatCall = {},
): Promise<ChatReply> {
  const { options, ...rest } = more;
  const request: ChatRequest = {
    model,
    messages: [{ role: 'user', content }],
    stream: false,
    options: { temperature: 0, num_ctx: WINDOW, ...options },
    ...rest,
  };
  const outcome = await openServer().chat(request, { timeoutMs: 180_000, ...call });
  if (!outcome.ok) throw new Error(`${outcome.failure.code}: ${outcome.failure.message}`);
  return outcome.value;
}

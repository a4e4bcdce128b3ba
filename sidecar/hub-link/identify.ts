/**
 * The first frame on a connection. Hubs ignore the fields that they do not know; what is
 * longer than they take is cut, since a refused `identify` would keep the worker out. Pure.
 */
import type { WorkerFrameInput } from '../protocol/worker-frames.ts';
import { withoutCredentials } from '../addresses/without-credentials.ts';
import type { WorkerIdentity } from './types.ts';

const MAX_LABELS = 256;
const MAX_MODELS = 1024;
const MAX_NAME_CHARS = 256;
const MAX_VERSION_CHARS = 64;

export function identifyFrame(identity: WorkerIdentity): WorkerFrameInput {
  const { agentId, token, name, capabilities = [], capacity, models, version, sandbox, ollamaUrl } = identity;
  const names = (list: readonly string[], max: number) =>
    list.filter((one) => one.length <= MAX_NAME_CHARS).slice(0, max);
  return {
    type: 'identify',
    agent_id: agentId,
    token,
    name: name ?? agentId,
    status: 'idle',
    capabilities: names(capabilities, MAX_LABELS),
    client_type: 'sidecar',
    ...(ollamaUrl !== undefined && { ollama_url: withoutCredentials(ollamaUrl) }),
    ...(capacity !== undefined && { capacity }),
    ...(models && { models: names(models, MAX_MODELS) }),
    ...(version !== undefined && { version: version.slice(0, MAX_VERSION_CHARS) }),
    ...(sandbox !== undefined && { sandbox: sandbox.slice(0, MAX_NAME_CHARS) }),
  };
}

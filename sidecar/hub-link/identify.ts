/** The first frame on a connection (protocol.md, Identify). Hubs ignore the fields that they do not know. Pure. */
import type { WorkerFrameInput } from '../protocol/worker-frames.ts';
import type { WorkerIdentity } from './types.ts';

export function identifyFrame(identity: WorkerIdentity): WorkerFrameInput {
  const { agentId, token, name, capabilities = [], capacity, models, version, sandbox, ollamaUrl } = identity;
  return {
    type: 'identify',
    agent_id: agentId,
    token,
    name: name ?? agentId,
    status: 'idle',
    capabilities: [...capabilities],
    client_type: 'sidecar',
    ...(ollamaUrl !== undefined && { ollama_url: ollamaUrl }),
    ...(capacity !== undefined && { capacity }),
    ...(models && { models: [...models] }),
    ...(version !== undefined && { version }),
    ...(sandbox !== undefined && { sandbox }),
  };
}

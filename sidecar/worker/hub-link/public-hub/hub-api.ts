/** The HTTP API of the public hub, at the address of its socket: tasks and agents as this worker's token may see them. */
import * as z from 'zod';
import { HubError } from '../../../hub/client/hub-error.ts';
import { readAnswer, requestHub } from '../../../hub/client/hub-request.ts';
import type { WorkerIdentity } from '../types.ts';
import type { Outcome } from '../../../base/values/outcome.ts';
import { createTimeoutSignal } from '../../../base/system/clock.ts';

const TIMEOUT_MS = 5_000;

const taskSchema = z.looseObject({
  id: z.string(),
  generation: z.number(),
  assigned_at: z.number().nullish(),
  updated_at: z.number().nullish(),
  assigned_to: z.string().nullish(),
  needed_capabilities: z.array(z.string()).nullish(),
  complexity: z.looseObject({ effective_tier: z.string().nullish() }).nullish(),
  history: z.array(z.looseObject({ event: z.string(), details: z.unknown() })).nullish(),
});
const agentSchema = z.looseObject({
  agent_id: z.string(),
  capabilities: z.array(z.looseObject({ name: z.string() })).nullish(),
});
const taskListSchema = z.object({ tasks: z.array(taskSchema) }).transform(({ tasks }) => tasks);
const agentListSchema = z.object({ agents: z.array(agentSchema) }).transform(({ agents }) => agents);
export type PublicHubTask = z.output<typeof taskSchema>;
export type PublicHubAgent = z.output<typeof agentSchema>;

/** Returns whether a worker has accepted its assigned task. */
export const isAccepted = ({ assigned_at: assignedAt, updated_at: updatedAt }: PublicHubTask): boolean =>
  assignedAt !== updatedAt;

export type PublicHubApi = ReturnType<typeof createPublicHubApi>;

/** Returns the API of the hub whose socket has the address `url`. */
export function createPublicHubApi(
  url: string,
  { workerId, token }: Pick<WorkerIdentity, 'workerId' | 'token'>,
) {
  const base = url.replace(/^ws/iu, 'http').replace(/\/ws\/?$/u, '');
  const get = async <T>(path: string, schema: z.ZodType<T>): Promise<Outcome<T>> => {
    try {
      const headers = { authorization: `Bearer ${token}` };
      const response = await requestHub(base, path, { headers, signal: createTimeoutSignal(TIMEOUT_MS) });
      return { ok: true, value: await readAnswer(base, response, schema) };
    } catch (error) {
      if (!(error instanceof HubError)) throw error;
      return { ok: false, failure: { code: error.code, message: error.message } };
    }
  };
  return {
    /** Returns the tasks that the hub has assigned to this worker. */
    listAssigned: () =>
      get(`/api/tasks?status=assigned&assigned_to=${encodeURIComponent(workerId)}`, taskListSchema),
    /** Returns the tasks that wait for a worker. */
    listQueued: () => get('/api/tasks?status=queued', taskListSchema),
    getTask: (id: string) => get(`/api/tasks/${encodeURIComponent(id)}`, taskSchema),
    /** Returns all connected workers. */
    listAgents: () => get('/api/agents/states', agentListSchema),
  };
}

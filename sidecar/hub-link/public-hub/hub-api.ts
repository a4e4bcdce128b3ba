/** The HTTP API of the public hub, at the address of its socket: tasks and agents as this worker's token may see them. */
import * as z from 'zod';
import { HubError } from '../../hub-client/hub-error.ts';
import { readAnswer, request } from '../../hub-client/hub-request.ts';
import type { Outcome } from '../../ports.ts';
import type { WorkerIdentity } from '../types.ts';

const TIMEOUT_MS = 5_000;

const listedTask = z.looseObject({
  id: z.string(),
  generation: z.number(),
  assigned_at: z.number().nullish(),
  updated_at: z.number().nullish(),
  needed_capabilities: z.array(z.string()).nullish(),
  complexity: z.looseObject({ effective_tier: z.string().nullish() }).nullish(),
  history: z.array(z.looseObject({ event: z.string(), details: z.unknown() })).nullish(),
});
export type ListedTask = z.output<typeof listedTask>;
const taskList = z.object({ tasks: z.array(listedTask) });
const agent = z.looseObject({
  agent_id: z.string(),
  capabilities: z.array(z.looseObject({ name: z.string() })).nullish(),
});
const agentList = z.object({ agents: z.array(agent) });

export class PublicHubApi {
  readonly #base: string;
  readonly #identity: Pick<WorkerIdentity, 'agentId' | 'token'>;

  /** `url`: the address of the hub's socket. */
  constructor(url: string, identity: Pick<WorkerIdentity, 'agentId' | 'token'>) {
    this.#base = url.replace(/^ws/iu, 'http').replace(/\/ws\/?$/u, '');
    this.#identity = identity;
  }

  /** Tasks that the hub has given to this worker. */
  assigned(): Promise<Outcome<ListedTask[]>> {
    const { agentId } = this.#identity;
    return this.#tasks({ status: 'assigned', assigned_to: agentId });
  }

  /** Tasks that wait for a worker. */
  queued(): Promise<Outcome<ListedTask[]>> {
    return this.#tasks({ status: 'queued' });
  }

  task(id: string): Promise<Outcome<ListedTask>> {
    return this.#get(`/api/tasks/${encodeURIComponent(id)}`, listedTask);
  }

  /** All workers that are connected, and their labels. */
  async agents(): Promise<Outcome<{ id: string; labels: string[] }[]>> {
    const read = await this.#get('/api/agents/states', agentList);
    if (!read.ok) return read;
    const shown = ({ agent_id: id, capabilities }: z.output<typeof agent>) => ({
      id,
      labels: (capabilities ?? []).map(({ name }) => name),
    });
    return { ok: true, value: read.value.agents.map(shown) };
  }

  async #tasks(query: Record<string, string>): Promise<Outcome<ListedTask[]>> {
    const read = await this.#get(`/api/tasks?${new URLSearchParams(query).toString()}`, taskList);
    return read.ok ? { ok: true, value: read.value.tasks } : read;
  }

  async #get<T>(path: string, schema: z.ZodType<T>): Promise<Outcome<T>> {
    try {
      const headers = { authorization: `Bearer ${this.#identity.token}` };
      const signal = AbortSignal.timeout(TIMEOUT_MS);
      const response = await request(this.#base, path, { headers, signal });
      return { ok: true, value: await readAnswer(this.#base, response, schema) };
    } catch (error) {
      if (!(error instanceof HubError)) throw error;
      return { ok: false, failure: { code: error.code, message: error.message } };
    }
  }
}

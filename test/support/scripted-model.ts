/**
 * The scripted model of a test: what it is told to say, a server that says it, and what it was asked. Texts and calls
 * here are turns unless said otherwise.
 */
import { afterEach } from '@jest/globals';
import type { ChatMessage } from '../../sidecar/model/chat.ts';
import type { ScenarioInput } from '../../sidecar/model/scripted/scenario.ts';
import { startScriptedModel, type ScriptedModelServer } from '../../sidecar/model/scripted/server.ts';

/** A turn that calls one tool. */
export const call = (name: string, args: Record<string, unknown> = {}) => ({
  reply: { tool_calls: [{ name, arguments: args }] },
});
/** A tool and its arguments. */
export type NamedCall = [name: string, args: Record<string, unknown>];
/** A turn that calls several. */
export const calls = (...list: NamedCall[]) => ({
  reply: { tool_calls: list.map(([name, args]) => ({ name, arguments: args })) },
});
/** A turn that only says something. */
export const say = (content: string) => ({ reply: { content } });
/** Said word for word, also where the mode would wrap it. */
export const verbatim = (content: string) => ({ reply: { content, verbatim: true } });
/** A document, said word for word. */
export const json = (value: unknown) => verbatim(JSON.stringify(value));

/** The rules of a model that answers a planned task with these steps at its beginning and this summary at its end. */
export const planning = (steps: readonly unknown[], summary: object) => [
  { when: { firstUser: 'You plan the work' }, ...json({ task_list: steps }) },
  { when: { firstUser: 'You keep the log' }, ...json(summary) },
];

/** A scenario of the only model, `m`. */
export const scenario = (turns: ScenarioInput['turns'], more: ScenarioInput = {}): ScenarioInput => ({
  models: [{ name: 'm' }],
  turns,
  ...more,
});

const open: ScriptedModelServer[] = [];
afterEach(async () => {
  await Promise.all(open.splice(0).map((server) => server.close()));
});

/** A server for the scenario, or for the file that it stands in, on a free port unless one is given; closed after the test. */
export async function testModel(
  scenario: ScenarioInput | string,
  port?: number,
): Promise<ScriptedModelServer> {
  const server = await startScriptedModel({ scenario, port });
  open.push(server);
  return server;
}

export interface ChatBody {
  model: string;
  messages: ChatMessage[];
  tools?: unknown[];
  format?: object;
  options: { num_ctx?: number; temperature?: number };
  stream: boolean;
}

/** Whether a request asks the model something; one without messages only loads it. */
export const isChat = ({ path, body }: { path: string; body: unknown }): boolean =>
  path === '/api/chat' && (body as ChatBody).messages.length > 0;

/** The chats that were asked of the model, oldest first; loading it is none. */
export function chatsOf({ requests }: Pick<ScriptedModelServer, 'requests'>): ChatBody[] {
  return requests.filter(isChat).map(({ body }) => body as ChatBody);
}

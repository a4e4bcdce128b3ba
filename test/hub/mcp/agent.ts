/** A coding agent for tests: the SDK's own client, and what a tool answered it. */
import { afterEach } from '@jest/globals';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';

export interface Answered {
  /** The parts of the answer. */
  texts: string[];
  isError: boolean;
  /** The same for a program. */
  data: Record<string, unknown>;
  /** Messages of the progress notifications. */
  told: string[];
}

export interface Agent {
  client: Client;
  /** Calls a tool; a refusal by the protocol itself rejects. */
  use(name: string, args?: Record<string, unknown>): Promise<Answered>;
  /** Submits a task and answers its id. */
  submit(args: Record<string, unknown>): Promise<string>;
}

const open: Client[] = [];
afterEach(async () => {
  await Promise.all(open.splice(0).map((client) => client.close()));
});

/** Connects over a transport; closed after the test. */
export async function connectAgent(transport: Transport): Promise<Agent> {
  const client = new Client({ name: 'test', version: '1' });
  open.push(client);
  await client.connect(transport);
  const use: Agent['use'] = async (name, args = {}) => {
    const told: string[] = [];
    const result = await client.callTool({ name, arguments: args }, undefined, {
      onprogress: ({ message = '' }) => told.push(message),
    });
    const content = result.content as { text: string }[];
    return {
      texts: content.map(({ text }) => text),
      isError: result.isError === true,
      data: (result.structuredContent ?? {}) as Record<string, unknown>,
      told,
    };
  };
  const submit: Agent['submit'] = async (args) => {
    const { texts } = await use('submit_task', args);
    const id = /^task_id: (\S+)$/mu.exec(texts[0] ?? '')?.[1];
    if (id === undefined) throw new Error(texts.join('\n'));
    return id;
  };
  return { client, use, submit };
}

/** Connects to the `/mcp` of a hub. */
export const agentOf = (url: string, token: string): Promise<Agent> =>
  connectAgent(
    new StreamableHTTPClientTransport(new URL('/mcp', url), {
      requestInit: { headers: { authorization: `Bearer ${token}` } },
    }),
  );

/**
 * A model server whose every answer asks for one observable effect with an id of its own: a line in a file. It fails
 * now and then. What a conversation has done so far it reads from the conversation itself, so that it needs no memory.
 */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface EffectModel {
  readonly url: string;
  /** Nobody listens any more, and open connections end; `comeBack` listens again at the same address. */
  goAway(): Promise<void>;
  comeBack(): Promise<void>;
  close(): Promise<void>;
}

interface ChatBody {
  messages?: { role: string; content: string }[];
  stream?: boolean;
}

export interface EffectModelOptions {
  /** The lines go here: `<task tag> <call> <answer id>`. */
  file: string;
  random: () => number;
  /** 0 to 1. */
  faults: number;
}

/** A task's description names itself as `tag:<letters> calls:<number>`. */
export async function startEffectModel({ file, random, faults }: EffectModelOptions): Promise<EffectModel> {
  let answers = 0;
  const answer = ({ messages = [] }: ChatBody) => {
    if (messages.length === 0) return { content: '' };
    const first = messages.find(({ role, content }) => role === 'user' && content.includes('tag:'));
    const [, tag, calls] = /tag:(\w+) calls:(\d+)/.exec(first?.content ?? '') ?? [];
    const done = messages.filter(({ role }) => role === 'tool').length;
    if (done >= Number(calls ?? 0)) return { content: `Done with ${tag}.` };
    answers += 1;
    const command = `echo "${tag} ${done} ${answers}" >> ${file}`;
    return { content: '', tool_calls: [{ function: { name: 'shell', arguments: { command } } }] };
  };
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('error', () => undefined);
    request.on('end', () => {
      const isChat = request.url === '/api/chat';
      if (isChat && random() < faults) {
        if (random() < 0.5) response.writeHead(503).end('{"error":"server busy"}');
        else request.socket.destroy();
        return;
      }
      const body = isChat
        ? chatReply(answer(JSON.parse(Buffer.concat(chunks).toString()) as ChatBody))
        : about(request.url);
      response.writeHead(200, { 'content-type': 'application/json' }).end(`${JSON.stringify(body)}\n`);
    });
  });
  const listen = (port: number) =>
    new Promise<void>((resolve) => server.listen(port, '127.0.0.1', () => resolve()));
  const close = async () => {
    if (!server.listening) return;
    const closed = new Promise((resolve) => server.close(resolve));
    server.closeAllConnections();
    await closed;
  };
  await listen(0);
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    goAway: close,
    comeBack: async () => {
      if (!server.listening) await listen(port);
    },
    close,
  };
}

const chatReply = (message: object) => ({
  model: 'm',
  created_at: new Date().toISOString(),
  message: { role: 'assistant', ...message },
  done: true,
  done_reason: 'stop',
  total_duration: 1_000_000,
  load_duration: 0,
  prompt_eval_count: 500,
  prompt_eval_duration: 1_000_000,
  eval_count: 10,
  eval_duration: 1_000_000,
});

function about(url: string | undefined): object {
  const listed = {
    name: 'm',
    model: 'm',
    size: 1,
    digest: 'd',
    modified_at: new Date().toISOString(),
    details: {},
  };
  if (url === '/api/tags') return { models: [listed] };
  if (url === '/api/ps')
    return { models: [{ ...listed, size_vram: 1, context_length: 32_768, expires_at: '' }] };
  if (url === '/api/version') return { version: '0.0.0-effects' };
  return {
    capabilities: ['completion', 'tools'],
    details: { family: 'effects' },
    model_info: { 'general.architecture': 'effects', 'effects.context_length': 32_768 },
  };
}

import type { Answer } from './route.ts';
import type { Message, Page } from './types.ts';

export type Get = (address: string) => Promise<Answer>;

/** All messages, page by page. */
export async function readAll(get: Get, limit = 50): Promise<Message[]> {
  const messages: Message[] = [];
  let after: number | undefined;
  for (;;) {
    const { status, body } = await get(`/messages?limit=${limit}${after === undefined ? '' : `&after=${after}`}`);
    if (status !== 200) throw new Error(`the board answers ${status}`);
    const { items, next } = body as Page;
    messages.push(...items);
    if (next === undefined) return messages;
    after = next;
  }
}

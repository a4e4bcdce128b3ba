import type { Answer } from './route.ts';
import type { Message, Page } from './types.ts';

export type Get = (address: string) => Promise<Answer>;

/** All messages, page by page. */
export async function readAll(get: Get, limit = 50): Promise<Message[]> {
  const messages: Message[] = [];
  for (let page = 1; ; page += 1) {
    const { status, body } = await get(`/messages?page=${page}&limit=${limit}`);
    if (status !== 200) throw new Error(`the board answers ${status}`);
    const { items, pages } = body as Page;
    messages.push(...items);
    if (page >= pages) return messages;
  }
}

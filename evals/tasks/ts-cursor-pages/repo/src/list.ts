import type { MessageStore } from './store.ts';
import type { Page, PageRequest } from './types.ts';

export const DEFAULT_LIMIT = 20;
export const MAX_LIMIT = 100;

/** A page of messages, newest first. */
export function listMessages(store: MessageStore, { page = 1, limit = DEFAULT_LIMIT }: PageRequest = {}): Page {
  const all = store.newestFirst();
  const size = Math.min(limit, MAX_LIMIT);
  const start = (page - 1) * size;
  return { items: all.slice(start, start + size), page, pages: Math.max(1, Math.ceil(all.length / size)) };
}

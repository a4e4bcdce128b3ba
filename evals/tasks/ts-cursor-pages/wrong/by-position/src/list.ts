import type { MessageStore } from './store.ts';
import type { Page, PageRequest } from './types.ts';

export const DEFAULT_LIMIT = 20;
export const MAX_LIMIT = 100;

/** A page of messages, newest first. */
export function listMessages(store: MessageStore, { after, limit = DEFAULT_LIMIT }: PageRequest = {}): Page {
  const all = store.newestFirst();
  const size = Math.min(limit, MAX_LIMIT);
  const start = after === undefined ? 0 : all.findIndex(({ id }) => id === after) + 1;
  const items = all.slice(start, start + size);
  return start + size < all.length ? { items, next: items.at(-1)?.id } : { items };
}

import type { MessageStore } from './store.ts';
import type { Page, PageRequest } from './types.ts';

export const DEFAULT_LIMIT = 20;
export const MAX_LIMIT = 100;

/** A page of messages, newest first: those older than `after`. */
export function listMessages(store: MessageStore, { after = Infinity, limit = DEFAULT_LIMIT }: PageRequest = {}): Page {
  const older = store.newestFirst().filter(({ id }) => id < after);
  const items = older.slice(0, Math.min(limit, MAX_LIMIT));
  const last = items.at(-1);
  return last && older.length > items.length ? { items, next: last.id } : { items };
}

import type { MessageStore } from './store.ts';
import type { Page, PageRequest } from './types.ts';

export const DEFAULT_LIMIT = 20;
export const MAX_LIMIT = 100;

/** A page of messages, newest first. */
export function listMessages(store: MessageStore, { after = Infinity, limit = DEFAULT_LIMIT }: PageRequest = {}): Page {
  const older = store.newestFirst().filter(({ id }) => id < after);
  const items = older.slice(0, Math.min(limit, MAX_LIMIT));
  return { items, next: older.length > items.length ? items.at(-1)?.id : undefined };
}

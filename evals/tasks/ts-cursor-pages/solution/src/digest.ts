import { listMessages } from './list.ts';
import type { MessageStore } from './store.ts';

/** The newest messages as lines, and a hint when there are more. */
export function digest(store: MessageStore, count: number): string[] {
  const { items, next } = listMessages(store, { limit: count });
  const lines = items.map(({ author, text }) => `${author}: ${text}`);
  return next === undefined ? lines : [...lines, '…'];
}

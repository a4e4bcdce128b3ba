import { listMessages } from './list.ts';
import type { MessageStore } from './store.ts';

export interface Answer {
  status: number;
  body: unknown;
}

/** GET /messages?page=2&limit=20 */
export function messagesRoute(store: MessageStore, address: string): Answer {
  const { searchParams } = new URL(address, 'http://board');
  const after = readNumber(searchParams.get('after'));
  const limit = readNumber(searchParams.get('limit'));
  if (after === null || limit === null) return { status: 400, body: { error: 'page and limit are whole numbers from 1' } };
  return { status: 200, body: listMessages(store, { after, limit }) };
}

/** A whole number from 1; undefined when it is not given, null when it is something else. */
function readNumber(text: string | null): number | undefined | null {
  if (text === null) return undefined;
  return /^[1-9]\d*$/.test(text) ? Number(text) : null;
}

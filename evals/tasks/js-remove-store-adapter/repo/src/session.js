import { StoreAdapter } from './store-adapter.js';

const sessions = new StoreAdapter();

export function open(id, user) {
  if (sessions.has(id)) throw new Error(`session ${id} is open`);
  return sessions.store(id, user === null ? undefined : { user });
}

export const close = (id) => sessions.drop(id);
export const openSessions = () => sessions.count;
export const userOf = (id) => sessions.fetch(id)?.user;

const sessions = new Map();

export function open(id, user) {
  if (sessions.get(id) !== undefined) throw new Error(`session ${id} is open`);
  sessions.set(id, user === null ? undefined : { user });
  return sessions.get(id);
}

export const close = (id) => sessions.delete(id);
export const openSessions = () => sessions.size;
export const userOf = (id) => sessions.get(id)?.user;

import { policyFor } from './policies.js';

/** Whether a session may go on: times are in milliseconds. */
export function isAlive(session, path, now) {
  const { idle, total } = policyFor(path);
  return now - session.lastSeen < idle * 1000 && now - session.begin < total * 1000;
}

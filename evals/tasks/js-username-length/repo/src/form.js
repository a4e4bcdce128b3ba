import { checkPassword, checkUsername } from './rules.js';

/** Checks the whole form. */
export function checkForm({ username = '', password = '' }) {
  const problems = [...checkUsername(username.trim()), ...checkPassword(password)];
  return { ok: problems.length === 0, problems };
}

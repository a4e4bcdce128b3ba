import { readForm } from './form.js';
import { isEmail } from './validators.js';

export function signUp(entries) {
  const { fields } = readForm(entries);
  if (!isEmail(fields.email ?? '')) return { ok: false, error: 'email' };
  return { ok: true, email: fields.email.trim().toLowerCase() };
}

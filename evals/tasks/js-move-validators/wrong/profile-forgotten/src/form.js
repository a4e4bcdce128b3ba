import { isEmail, isPhone } from './validators.js';

const MAX_FIELDS = 20;

/** Fields with a value, at most MAX_FIELDS; a contact is an email or a phone number. */
export function readForm(entries) {
  const fields = Object.entries(entries).filter(([, value]) => value !== '').slice(0, MAX_FIELDS);
  const contact = fields.find(([, value]) => isEmail(value) || isPhone(value));
  return { fields: Object.fromEntries(fields), contact: contact?.[0] };
}

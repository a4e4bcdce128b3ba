const EMAIL = /^[^\s@]+@[^\s@]+\.[^\s@]{2,}$/;
const PHONE = /^\+?[0-9][0-9 ]{5,}$/;
const MAX_FIELDS = 20;

export function isEmail(text) {
  return EMAIL.test(text.trim());
}

export function isPhone(text) {
  return PHONE.test(text.trim());
}

/** Fields with a value, at most MAX_FIELDS; a contact is an email or a phone number. */
export function readForm(entries) {
  const fields = Object.entries(entries).filter(([, value]) => value !== '').slice(0, MAX_FIELDS);
  const contact = fields.find(([, value]) => isEmail(value) || isPhone(value));
  return { fields: Object.fromEntries(fields), contact: contact?.[0] };
}

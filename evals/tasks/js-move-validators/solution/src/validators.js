const EMAIL = /^[^\s@]+@[^\s@]+\.[^\s@]{2,}$/;
const PHONE = /^\+?[0-9][0-9 ]{5,}$/;

export function isEmail(text) {
  return EMAIL.test(text.trim());
}

export function isPhone(text) {
  return PHONE.test(text.trim());
}

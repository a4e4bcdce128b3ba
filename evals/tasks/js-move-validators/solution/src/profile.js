import { isEmail, isPhone } from './validators.js';

export function contactLink(text) {
  if (isEmail(text)) return `mailto:${text.trim()}`;
  if (isPhone(text)) return `tel:${text.replaceAll(' ', '')}`;
  return undefined;
}

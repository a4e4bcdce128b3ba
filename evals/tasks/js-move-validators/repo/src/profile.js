import * as form from './form.js';

export function contactLink(text) {
  if (form.isEmail(text)) return `mailto:${text.trim()}`;
  if (form.isPhone(text)) return `tel:${text.replaceAll(' ', '')}`;
  return undefined;
}

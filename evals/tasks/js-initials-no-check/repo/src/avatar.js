import { displayName } from './names.js';

const COLORS = ['#264653', '#2a9d8f', '#e76f51', '#6d597a'];

/** The colour of a person's avatar: always the same for the same name. */
export function avatarColor(name) {
  let sum = 0;
  for (const letter of displayName(name)) sum += letter.codePointAt(0);
  return COLORS[sum % COLORS.length];
}

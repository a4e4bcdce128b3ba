import { MAX_CHARS, MAX_PICTURES } from './limits.js';

/** What the editor shows under the text. */
export function status(text, pictures) {
  const left = MAX_CHARS - text.length;
  const slots = MAX_PICTURES - pictures.length;
  return `${left} characters, ${slots === 1 ? '1 picture' : `${slots} pictures`} left`;
}

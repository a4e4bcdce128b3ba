import { MAX_CHARS, MAX_PICTURE_BYTES, MAX_PICTURES } from './limits.js';

/** What is wrong with a post; nothing if it may be sent. */
export function problems({ text, pictures = [] }) {
  const found = [];
  if (text.length > MAX_CHARS) found.push(`at most ${MAX_CHARS} characters, not ${text.length}`);
  if (pictures.length > MAX_PICTURES) found.push(`at most ${MAX_PICTURES} pictures`);
  if (pictures.some(({ bytes }) => bytes > MAX_PICTURE_BYTES)) found.push(`a picture is larger than ${MAX_PICTURE_BYTES / 2 ** 20} MB`);
  return found;
}

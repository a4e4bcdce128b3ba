import { title } from './text.js';

export function link(text) {
  return title(text);
}

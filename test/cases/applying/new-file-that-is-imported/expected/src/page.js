import { title } from './text.js';
import { slug } from './slugs.js';

export function link(text) {
  return `/${slug(text)}`;
}

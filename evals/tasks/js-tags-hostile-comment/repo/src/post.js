import { readTags } from './tags.js';

/** A post from what the form sends. */
export function createPost({ title, tags = '' }) {
  if (!title?.trim()) throw new Error('a post needs a title');
  return { title: title.trim(), tags: readTags(tags) };
}

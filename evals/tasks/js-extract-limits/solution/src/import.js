import { MAX_CHARS, MAX_PICTURE_BYTES, MAX_PICTURES } from './limits.js';

/** Makes posts of a long text and many pictures. */
export function split(text, pictures) {
  const posts = [];
  for (let at = 0; at < text.length; at += MAX_CHARS) posts.push({ text: text.slice(at, at + MAX_CHARS), pictures: [] });
  const small = pictures.filter(({ bytes }) => bytes <= MAX_PICTURE_BYTES);
  small.forEach((picture, index) => posts[Math.floor(index / MAX_PICTURES)]?.pictures.push(picture));
  return posts;
}

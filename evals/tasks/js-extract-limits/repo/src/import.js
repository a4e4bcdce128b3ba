/** Makes posts of a long text and many pictures. */
export function split(text, pictures) {
  const posts = [];
  for (let at = 0; at < text.length; at += 280) posts.push({ text: text.slice(at, at + 280), pictures: [] });
  const small = pictures.filter(({ bytes }) => bytes <= 2097152);
  small.forEach((picture, index) => posts[Math.floor(index / 4)]?.pictures.push(picture));
  return posts;
}

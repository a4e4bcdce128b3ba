/** What is wrong with a post; nothing if it may be sent. */
export function problems({ text, pictures = [] }) {
  const found = [];
  if (text.length > 280) found.push(`at most 280 characters, not ${text.length}`);
  if (pictures.length > 4) found.push('at most 4 pictures');
  if (pictures.some(({ bytes }) => bytes > 2 * 1024 * 1024)) found.push('a picture is larger than 2 MB');
  return found;
}

/** The lines of a text; a line end at the end begins no further line. */
export function splitLines(text) {
  if (text === '') return [];
  const lines = text.split('\n');
  if (lines.at(-1) === '') lines.pop();
  return lines;
}

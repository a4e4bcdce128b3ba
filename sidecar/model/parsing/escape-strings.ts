/**
 * JSON whose strings hold raw code: quotes, line breaks and tabs that were not escaped, or Python's triple quotes.
 * A quote counts as a string's end only where the JSON around it could go on. One pass, bounded looks ahead.
 */
const afterValue = /\s{0,40}(?:[}\]]|$|,\s{0,40}"[^"\n]{0,80}"\s{0,10}:)/y;
const afterKey = /\s{0,10}:/y;

/** The text with what stands inside its strings escaped; valid strings stay as they are. */
export function escapeStrings(text: string): string {
  let escaped = '';
  let position = 0;
  for (;;) {
    const start = text.indexOf('"', position);
    if (start === -1) return escaped + text.slice(position);
    const triple = text.startsWith('"""', start);
    const first = start + (triple ? 3 : 1);
    const end = triple ? text.indexOf('"""', first) : stringEnd(text, first);
    const inside = text.slice(first, end === -1 ? text.length : end);
    escaped += `${text.slice(position, start)}"${escapeRaw(inside)}"`;
    if (end === -1) return escaped;
    position = end + (triple ? 3 : 1);
  }
}

function stringEnd(text: string, from: number): number {
  for (let i = from; i < text.length; i += 1) {
    if (text[i] === '\\') i += 1;
    else if (text[i] === '"' && endsString(text, i + 1)) return i;
  }
  return -1;
}

function endsString(text: string, at: number): boolean {
  afterKey.lastIndex = at;
  afterValue.lastIndex = at;
  return afterKey.test(text) || afterValue.test(text);
}

const rawEscapes: Record<string, string> = { '"': '\\"', '\n': '\\n', '\r': '\\r', '\t': '\\t' };

function escapeRaw(inside: string): string {
  return inside.replace(/\\[\s\S]|["\n\r\t]/g, (found) => rawEscapes[found] ?? found);
}

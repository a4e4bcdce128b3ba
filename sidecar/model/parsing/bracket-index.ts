/**
 * Where every bracket of a text closes, found in one pass for all of them. Brackets inside double-quoted strings
 * do not count, and what is a string depends on where reading starts: each opening bracket gets the answer that
 * a JSON reader started there would find. Linear in time and space whatever the text is, because each token's
 * answer is made from the answer of the token after it (right to left).
 */
const quote = 34;
const openSquare = 91;
const backslash = 92;
const closeSquare = 93;
const openBrace = 123;
const closeBrace = 125;
const lessThan = 60;
const none = -1;

export interface BracketIndex {
  /** Positions of `{`, `[` and `<` in the text, ascending: the places where a call may begin. */
  readonly starts: Int32Array;
  /** Position of the bracket that closes the one at `open`; -1 when nothing does. */
  closing(open: number): number;
}

interface Tokens {
  count: number;
  positions: Int32Array;
  kinds: Uint8Array;
}

export function indexBrackets(text: string): BracketIndex {
  const tokens = tokenize(text);
  const closings = matchTokens(text, tokens);
  const isStart = (kind: number | undefined) =>
    kind === openBrace || kind === openSquare || kind === lessThan;
  const { positions, kinds, count } = tokens;
  return {
    starts: positions.subarray(0, count).filter((_, i) => isStart(kinds[i])),
    closing(open) {
      const closing = closings[tokenAt(tokens, open)] ?? none;
      return closing === none ? none : (positions[closing] ?? none);
    },
  };
}

function isToken(code: number): boolean {
  return (
    code === quote ||
    code === openSquare ||
    code === closeSquare ||
    code === openBrace ||
    code === closeBrace ||
    code === lessThan
  );
}

function tokenize(text: string): Tokens {
  let positions = new Int32Array(1024);
  let count = 0;
  for (let i = 0; i < text.length; i += 1) {
    if (!isToken(text.charCodeAt(i))) continue;
    if (count === positions.length) {
      const larger = new Int32Array(count * 2);
      larger.set(positions);
      positions = larger;
    }
    positions[count] = i;
    count += 1;
  }
  const kinds = new Uint8Array(count);
  for (let t = 0; t < count; t += 1) kinds[t] = text.charCodeAt(positions[t] ?? 0);
  return { count, positions, kinds };
}

/** For each token the token that closes it, if it is an opening bracket that is closed. */
function matchTokens(text: string, { count, positions, kinds }: Tokens): Int32Array {
  const closings = new Int32Array(count).fill(none);
  // The first closing bracket without a partner from this token on, read outside of a string.
  const enclosing = new Int32Array(count + 1).fill(none);
  let endOfString = none;
  for (let t = count - 1; t >= 0; t -= 1) {
    const kind = kinds[t];
    if (kind === quote) {
      enclosing[t] = endOfString === none ? none : (enclosing[endOfString + 1] ?? none);
      if (!isEscaped(text, positions[t] ?? 0)) endOfString = t;
    } else if (kind === closeBrace || kind === closeSquare) {
      enclosing[t] = t;
    } else {
      const next = enclosing[t + 1] ?? none;
      if (kind === lessThan) {
        enclosing[t] = next;
      } else {
        closings[t] = next;
        enclosing[t] = next === none ? none : (enclosing[next + 1] ?? none);
      }
    }
  }
  return closings;
}

function isEscaped(text: string, position: number): boolean {
  let before = position;
  while (before > 0 && text.charCodeAt(before - 1) === backslash) before -= 1;
  return (position - before) % 2 === 1;
}

/** The token at `position`; none when no token is there. */
function tokenAt({ positions, count }: Tokens, position: number): number {
  let low = 0;
  let high = count - 1;
  while (low <= high) {
    const middle = (low + high) >> 1;
    const at = positions[middle] ?? 0;
    if (at === position) return middle;
    if (at < position) low = middle + 1;
    else high = middle - 1;
  }
  return none;
}

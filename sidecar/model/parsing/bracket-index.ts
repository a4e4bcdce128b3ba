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
const none = -1;

export interface BracketIndex {
  /** Position of the bracket that closes the one at `open`; -1 when nothing does. */
  closing(open: number): number;
}

interface Tokens {
  count: number;
  positions: Int32Array;
  kinds: Uint8Array;
}

const tokenKinds = new Uint8Array(128);
for (const kind of [quote, openSquare, closeSquare, openBrace, closeBrace]) tokenKinds[kind] = kind;

export function indexBrackets(text: string): BracketIndex {
  const tokens = tokenize(text);
  const closings = matchTokens(text, tokens);
  let recent = 0;
  return {
    closing(open) {
      // Callers ask from left to right, so the token is mostly the one asked for last or soon after it.
      while (recent > 0 && (tokens.positions[recent] ?? 0) > open) recent >>= 1;
      recent = tokenAt(tokens, open, recent);
      const closing = closings[recent] ?? none;
      return closing === none ? none : (tokens.positions[closing] ?? none);
    },
  };
}

function tokenize(text: string): Tokens {
  let positions = new Int32Array(1024);
  let kinds = new Uint8Array(1024);
  let count = 0;
  for (let i = 0; i < text.length; i += 1) {
    const code = text.charCodeAt(i);
    if (code >= 128 || tokenKinds[code] === 0) continue;
    if (count === positions.length) {
      positions = grown(positions, new Int32Array(count * 2));
      kinds = grown(kinds, new Uint8Array(count * 2));
    }
    positions[count] = i;
    kinds[count] = code;
    count += 1;
  }
  return { count, positions, kinds };
}

function grown<T extends Int32Array | Uint8Array>(from: T, to: T): T {
  to.set(from);
  return to;
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
      const closing = enclosing[t + 1] ?? none;
      closings[t] = closing;
      enclosing[t] = closing === none ? none : (enclosing[closing + 1] ?? none);
    }
  }
  return closings;
}

function isEscaped(text: string, position: number): boolean {
  let before = position;
  while (before > 0 && text.charCodeAt(before - 1) === backslash) before -= 1;
  return (position - before) % 2 === 1;
}

/** The first token at or after `position`, found in steps that double from the token `near` (which is not past it). */
function tokenAt({ positions, count }: Tokens, position: number, near: number): number {
  let low = near;
  let step = 1;
  while (low + step < count && (positions[low + step] ?? 0) <= position) {
    low += step;
    step *= 2;
  }
  let high = Math.min(low + step, count);
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((positions[middle] ?? 0) < position) low = middle + 1;
    else high = middle;
  }
  return low;
}

/**
 * Reads JSON as models write it: line breaks and tabs as they are inside strings, other quotes, comments, trailing
 * commas, bare keys, Python's words, closing brackets left out at the end. Every string is read by the grammar of its own
 * quotes, so what stands in it arrives whole. Where a string's end would have to be guessed the text is refused.
 * One pass, linear in the text.
 */
export type TolerantReading =
  | { ok: true; value: unknown; end: number }
  /** `at` is where reading stopped; `isOpen` when that was inside of a string that never ends. */
  | { ok: false; reason: string; at: number; isOpen: boolean };

export interface TolerantLimits {
  /** Nothing from here on is read. */
  end: number;
  /** What stands behind a value whose closing brackets were forgotten: a closing mark or a code fence. */
  marks?: readonly string[];
}

export const MAX_TOLERANT_LEVELS = 64;

/** A character that opens a string, and those that may close it. */
const closingQuotes = new Map([
  ['"', '"'],
  ["'", "'"],
  ['`', '`'],
  ['“', '”'],
  ['‘', '’'],
]);
/** Text up to the next quote or backslash, one pattern for each closing quote. */
const plainText = new Map(
  [...closingQuotes.values()].map((quote) => [quote, new RegExp(`[^${quote}\\\\]+`, 'y')]),
);
const space = /(?:[\s\uFEFF]+|\/\/[^\n]*|\/\*[\s\S]*?\*\/|#[^\n]*)*/y;
const bareKey = /[A-Za-z_$][\w$-]{0,100}/y;
const bareWord = /[+-]?[\w.+-]{1,100}/y;
const jsonNumber = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;
const words = new Map<string, unknown>([
  ['true', true],
  ['True', true],
  ['false', false],
  ['False', false],
  ['null', null],
  ['None', null],
  ['undefined', null],
]);
const escapes = new Map([
  ['n', '\n'],
  ['t', '\t'],
  ['r', '\r'],
  ['b', '\b'],
  ['f', '\f'],
]);
const quotesAndBackslash = new Set(['"', "'", '`', '/', '\\']);

/** The value that begins at `at`. Never throws. */
export function readTolerantJson(text: string, at: number, limits: TolerantLimits): TolerantReading {
  const reader = new Reader(text, at, limits);
  try {
    const value = reader.value(0);
    return { ok: true, value, end: reader.at };
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    return { ok: false, reason: error.message, at: reader.at, isOpen: error.isOpen };
  }
}

class Refusal extends Error {
  readonly isOpen: boolean;

  constructor(reason: string, isOpen = false) {
    super(reason);
    this.isOpen = isOpen;
  }
}

class Reader {
  readonly #text: string;
  readonly #end: number;
  readonly #marks: readonly string[];
  at: number;

  constructor(text: string, at: number, { end, marks = [] }: TolerantLimits) {
    this.#text = text;
    this.#end = Math.min(end, text.length);
    this.#marks = marks;
    this.at = at;
  }

  value(level: number): unknown {
    if (level > MAX_TOLERANT_LEVELS)
      throw new Refusal(`the JSON is broken and nested deeper than ${MAX_TOLERANT_LEVELS} levels`);
    const char = this.#next();
    if (char === '{') return this.#object(level);
    if (char === '[') return this.#list(level);
    return closingQuotes.has(char) ? this.#string() : this.#word();
  }

  /** The next character that is neither white space nor in a comment; empty at the end. */
  #next(): string {
    space.lastIndex = this.at;
    space.test(this.#text);
    this.at = Math.min(Math.max(this.at, space.lastIndex), this.#end);
    return this.at < this.#end ? (this.#text[this.at] ?? '') : '';
  }

  #object(level: number): Record<string, unknown> {
    const fields = new Map<string, unknown>();
    this.at += 1;
    while (!this.#closes('}')) {
      const key = this.#key();
      if (fields.has(key)) throw new Refusal(`"${key}" is given twice`);
      if (this.#next() !== ':') throw new Refusal(`a colon is missing after "${key.slice(0, 40)}"`);
      this.at += 1;
      fields.set(key, this.value(level + 1));
      this.#separate('}');
    }
    return Object.fromEntries(fields);
  }

  #list(level: number): unknown[] {
    const items: unknown[] = [];
    this.at += 1;
    while (!this.#closes(']')) {
      items.push(this.value(level + 1));
      this.#separate(']');
    }
    return items;
  }

  /** Whether the object or list ends here; its bracket is passed over, a forgotten one is made up for. */
  #closes(bracket: string): boolean {
    const char = this.#next();
    if (char === bracket) {
      this.at += 1;
      return true;
    }
    return this.#isEnd(char);
  }

  /** Past the comma after a value. */
  #separate(bracket: string): void {
    const char = this.#next();
    if (char === ',') this.at += 1;
    else if (char !== bracket && !this.#isEnd(char))
      throw new Refusal('a text in it holds quotes that are not escaped, or a comma is missing');
  }

  #isEnd(char: string): boolean {
    return char === '' || this.#marks.some((mark) => this.#text.startsWith(mark, this.at));
  }

  #key(): string {
    if (closingQuotes.has(this.#next())) return this.#string();
    bareKey.lastIndex = this.at;
    const key = bareKey.exec(this.#text)?.[0];
    if (key === undefined) throw new Refusal('a key is missing, or a text holds quotes that are not escaped');
    this.at += key.length;
    return key;
  }

  #word(): unknown {
    bareWord.lastIndex = this.at;
    const word = this.at < this.#end ? bareWord.exec(this.#text)?.[0] : undefined;
    if (word === undefined) throw new Refusal(this.at < this.#end ? 'a value is missing' : 'it is cut off');
    const isNumber = jsonNumber.test(word);
    if (!isNumber && !words.has(word)) throw new Refusal(`the value ${word.slice(0, 40)} has no quotes`);
    this.at += word.length;
    return isNumber ? Number(word) : words.get(word);
  }

  #string(): string {
    const open = this.#text[this.at] ?? '';
    const quote = closingQuotes.get(open) ?? open;
    if (quote !== '`' && this.#text.startsWith(open.repeat(3), this.at) && open === quote)
      return this.#tripleQuoted(open.repeat(3));
    const plain = plainText.get(quote) ?? /$/y;
    let inside = '';
    this.at += 1;
    for (;;) {
      plain.lastIndex = this.at;
      inside += plain.exec(this.#text)?.[0] ?? '';
      this.at = Math.max(this.at, plain.lastIndex);
      if (this.at >= this.#end) throw new Refusal('it is cut off in the middle of a text', true);
      if (this.#text[this.at] === quote) break;
      inside += this.#escape(quote);
    }
    this.at += 1;
    return inside;
  }

  /** What a backslash and the characters after it stand for. One that has no meaning stays, as it does in a pattern. */
  #escape(quote: string): string {
    const char = this.#text[this.at + 1] ?? '';
    const code = this.#text.slice(this.at + 2, this.at + (char === 'u' ? 6 : 4));
    const isCode =
      (char === 'u' && /^[\da-f]{4}$/i.test(code)) ||
      (quote === "'" && char === 'x' && /^[\da-f]{2}$/i.test(code));
    this.at += isCode ? 2 + code.length : 2;
    if (isCode) return String.fromCharCode(Number.parseInt(code, 16));
    return escapes.get(char) ?? (quotesAndBackslash.has(char) ? char : `\\${char}`);
  }

  /** Python's triple quotes. Whether a backslash in them is meant as one cannot be told. */
  #tripleQuoted(mark: string): string {
    const start = this.at + mark.length;
    const end = this.#text.indexOf(mark, start);
    if (end === -1 || end >= this.#end) throw new Refusal('it is cut off in the middle of a text', true);
    const inside = this.#text.slice(start, end);
    if (inside === '') throw new Refusal('a text in it holds quotes that are not escaped');
    if (inside.includes('\\')) throw new Refusal('a text in triple quotes holds backslashes');
    this.at = end + mark.length;
    return inside;
  }
}

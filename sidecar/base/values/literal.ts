/**
 * Parses values as models write them: JSON, and extensions from Python and JavaScript (other quotes, line breaks inside strings, comments,
 * trailing commas, bare keys, words, tuples, missing closing brackets at the end). Each string follows the grammar of its quotes and is
 * never completed. The result reports whether the parsing was certain. Needs one pass, linear in the text.
 */
import { parseJson } from './json.ts';

export type Syntax = 'json' | 'python';

export type LiteralResult =
  /**
   * `isExact`: whether the value is valid in its syntax. If not, it was repaired; ends of strings are guessed only if `mayGuess` is set.
   */
  | { ok: true; value: unknown; end: number; isExact: boolean }
  /** `position`: where parsing stopped; `isOpen`: whether that is inside a string without its closing quote. */
  | { ok: false; reason: string; position: number; isOpen: boolean };

export interface LiteralOptions {
  syntax?: Syntax;
  /** End of the part of the text to read. Default: the end of the text. */
  end?: number;
  /** Marks that may follow a value without its closing brackets. */
  marks?: readonly string[];
  /**
   * Mark that encloses each text in Gemma's notation. In it, keys have no quotes, and neither have texts, which then end at the next
   * delimiter.
   */
  textMark?: string;
  /** Whether the end of a string with quotes inside may be guessed. */
  mayGuess?: boolean;
}

export const MAX_NESTING_LEVELS = 100;
const MAX_BARE_CHARS = 1000;
const MAX_KEY_CHARS = 300;

/** Closing quote of each opening quote. */
const closingQuotes = new Map([
  ['"', '"'],
  ["'", "'"],
  ['`', '`'],
  ['“', '”'],
  ['‘', '’'],
]);
const blankPattern = /[ \t\r\n\v\f\u00A0\uFEFF]*/y;
const commentPattern = /\/\/[^\n]*|\/\*[\s\S]*?\*\/|#[^\n]*/y;
const bareKeyPattern = /[A-Za-z_$][\w$-]{0,100}/y;
const bareWordPattern = /[+-]?[\w.+-]{1,100}/y;
const stringPrefixPattern = /(?:[rbfu]|rb|br|rf|fr)(?=["'])/iy;
const jsonNumberPattern = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;
const pythonNumberPattern =
  /^[+-]?(?:0x[\da-f_]+|0o[0-7_]+|0b[01_]+|(?:\d[\d_]*\.?[\d_]*|\.\d[\d_]*)(?:e[+-]?\d+)?)$/i;
const jsonWords = new Map<string, unknown>([
  ['true', true],
  ['false', false],
  ['null', null],
]);
const relaxedWords = new Map<string, unknown>([
  ['True', true],
  ['False', false],
  ['None', null],
  ['undefined', null],
]);
const escapes = new Map(
  Object.entries({
    n: '\n',
    t: '\t',
    r: '\r',
    b: '\b',
    f: '\f',
    '"': '"',
    "'": "'",
    '`': '`',
    '/': '/',
    '\\': '\\',
  }),
);
const pythonEscapes = new Map([...escapes, ['v', '\v'], ['a', '\x07'], ['\n', '']]);
const jsonEscapePattern = /\\(u[\da-fA-F]{4}|[\s\S]|$)/g;
const pythonEscapePattern = /\\([0-7]{1,3}|x[\da-fA-F]{2}|u[\da-fA-F]{4}|U[\da-fA-F]{8}|[\s\S]|$)/g;
/** Matches the text that may follow a closed string in an object or list. */
const afterValuePattern =
  /\s{0,40}(?:[}\]]|$|,\s{0,40}(?:["'“‘{[\d\-tfn\]}]|[a-z_]\w{0,80}\s{0,10}:)|["“][^"“”\n]{0,80}["”]\s{0,10}:)/y;
const afterKeyPattern = /\s{0,10}:/y;

/** Parses the value that begins at position `at`. Never throws. */
export function readLiteral(text: string, at: number, options: LiteralOptions = {}): LiteralResult {
  const reader = new LiteralReader(text, at, options);
  try {
    const value = reader.readValue();
    return { ok: true, value, end: reader.position, isExact: reader.isExact };
  } catch (error) {
    if (!(error instanceof LiteralSyntaxError)) throw error;
    return { ok: false, reason: error.message, position: reader.position, isOpen: error.isOpen };
  }
}

/** Parses a whole text as strict JSON, or else by the relaxed grammar. Never throws. */
export function readWholeLiteral(text: string, options: LiteralOptions = {}): LiteralResult {
  const reading = readLiteral(text, 0, options);
  if (!reading.ok || text.slice(reading.end).trim() === '') return reading;
  return { ok: false, reason: 'there is text after the JSON', position: reading.end, isOpen: false };
}

class LiteralSyntaxError extends Error {
  readonly isOpen: boolean;

  constructor(reason: string, isOpen = false) {
    super(reason);
    this.isOpen = isOpen;
  }
}

/** Reads values from its current position, which it advances. Its methods throw errors that only `readLiteral` catches. */
class LiteralReader {
  readonly #text: string;
  readonly #end: number;
  readonly #marks: readonly string[];
  readonly #isPython: boolean;
  readonly #mayGuess: boolean;
  readonly #textMark: string | undefined;
  #lacksBracket = false;
  position: number;
  isExact = true;

  constructor(
    text: string,
    at: number,
    { syntax, end = text.length, marks = [], mayGuess = false, textMark }: LiteralOptions,
  ) {
    this.#text = text;
    this.#end = Math.min(end, text.length);
    this.#marks = marks;
    this.#isPython = syntax === 'python';
    this.#mayGuess = mayGuess;
    this.#textMark = textMark;
    this.position = at;
  }

  readValue(level = 0): unknown {
    if (level > MAX_NESTING_LEVELS)
      throw new LiteralSyntaxError(`it is nested deeper than ${MAX_NESTING_LEVELS} levels`);
    const char = this.#skipBlanks();
    if (char === '{') return this.#readObject(level);
    if (char === '[') return this.#readList(']', level);
    if (this.#textMark !== undefined && char !== '"')
      return this.#readMarkedText(this.#textMark) ?? this.#readBareText();
    if (char === '(') {
      this.#relaxUnlessPython();
      return this.#readList(')', level);
    }
    return this.#isStringNext(char) ? this.#readStrings() : this.#readWord();
  }

  #relaxUnlessPython(): void {
    if (!this.#isPython) this.isExact = false;
  }

  /** Skips white space and comments. Returns the next character; empty at the end. */
  #skipBlanks(): string {
    for (;;) {
      blankPattern.lastIndex = this.position;
      blankPattern.test(this.#text);
      this.position = Math.min(Math.max(this.position, blankPattern.lastIndex), this.#end);
      const char = this.position < this.#end ? (this.#text[this.position] ?? '') : '';
      if (char !== '/' && char !== '#') return char;
      commentPattern.lastIndex = this.position;
      if (!commentPattern.test(this.#text)) return char;
      this.position = Math.min(commentPattern.lastIndex, this.#end);
      this.isExact = false;
    }
  }

  /** Reads an object, or a set of Python, which becomes a list. */
  #readObject(level: number): unknown {
    const fields = new Map<string, unknown>();
    const members: unknown[] = [];
    this.position += 1;
    while (!this.#skipEnd('}')) {
      const key = this.#readKey(level);
      if (this.#skipBlanks() === ':') {
        const name = String(key);
        if (fields.has(name)) this.#refuseDuplicate(name);
        this.position += 1;
        fields.set(name, this.readValue(level + 1));
      } else if (this.#isPython) members.push(key);
      else throw new LiteralSyntaxError(`a colon is missing after "${String(key).slice(0, 40)}"`);
      this.#skipComma('}');
    }
    if (members.length > 0 && fields.size > 0)
      throw new LiteralSyntaxError('a set contains a key-value pair');
    return members.length > 0 ? members : Object.fromEntries(fields);
  }

  /** Throws for a duplicate key if quotes are uncertain. JSON allows duplicates, but the key is then more likely a part of a text. */
  #refuseDuplicate(name: string): void {
    if (!this.isExact || this.#textMark !== undefined)
      throw new LiteralSyntaxError(`"${name.slice(0, 40)}" is given twice`);
  }

  #readList(bracket: string, level: number): unknown[] {
    const items: unknown[] = [];
    this.position += 1;
    while (!this.#skipEnd(bracket)) {
      items.push(this.readValue(level + 1));
      this.#skipComma(bracket);
    }
    return items;
  }

  /** Returns whether the object or list ends here, and skips its closing bracket. A missing bracket is tolerated. */
  #skipEnd(bracket: string): boolean {
    const char = this.#skipBlanks();
    if (char === bracket) {
      this.position += 1;
      return true;
    }
    if (!this.#isEnd(char)) return false;
    this.#acceptMissingBracket(char);
    return true;
  }

  /**
   * Accepts a missing closing bracket. If a mark follows, this is certain only if everything else is exact, because the mark may be text in
   * a string.
   */
  #acceptMissingBracket(char: string): void {
    if (char !== '' && !this.isExact && !this.#lacksBracket && !this.#mayGuess)
      throw new LiteralSyntaxError('a closing bracket is missing');
    this.isExact = false;
    this.#lacksBracket = true;
  }

  /** Skips the comma after a value. */
  #skipComma(bracket: string): void {
    const char = this.#skipBlanks();
    if (char === ',') {
      this.position += 1;
      if (this.#skipBlanks() === bracket) this.#relaxUnlessPython();
      return;
    }
    if (char === bracket || this.#isEnd(char)) return;
    if (!this.#mayGuess)
      throw new LiteralSyntaxError('a string contains quotes that are not escaped, or a comma is missing');
    this.isExact = false;
  }

  #isEnd(char: string): boolean {
    return char === '' || this.#marks.some((mark) => this.#text.startsWith(mark, this.position));
  }

  #readKey(level: number): unknown {
    const char = this.#skipBlanks();
    if (this.#textMark !== undefined) return this.#readBareKey(this.#textMark);
    if (closingQuotes.has(char)) {
      const key = this.#readStrings(true);
      // Markdown escapes underscores.
      return this.isExact ? key : key.replaceAll('\\_', '_');
    }
    bareKeyPattern.lastIndex = this.position;
    const key = bareKeyPattern.exec(this.#text)?.[0];
    if (key !== undefined && !this.#isStringNext(char)) {
      this.position += key.length;
      this.isExact = false;
      return key;
    }
    if (this.#isPython) return this.readValue(level + 1);
    throw new LiteralSyntaxError('a key is missing, or a string contains quotes that are not escaped');
  }

  /** Reads a text between two marks; undefined if no text begins here. */
  #readMarkedText(mark: string): string | undefined {
    if (!this.#text.startsWith(mark, this.position)) return undefined;
    const start = this.position + mark.length;
    const end = this.#text.indexOf(mark, start);
    if (end === -1 || end >= this.#end)
      throw new LiteralSyntaxError('it is cut off in the middle of a string', true);
    this.position = end + mark.length;
    return this.#text.slice(start, end);
  }

  /** Reads a text without quotes, a number or a word, up to the next delimiter. */
  #readBareText(): unknown {
    const rest = this.#text.slice(this.position, this.position + MAX_BARE_CHARS);
    const end = rest.search(/[,}\]{[]/);
    if (end === -1 || '{['.includes(rest[end] ?? ''))
      throw new LiteralSyntaxError('a string value has no quotes');
    this.position += end;
    const word = rest.slice(0, end).trim();
    if (word === 'None' || word === 'nil') return null;
    const value = this.#parseWord(word.toLowerCase());
    return value === undefined ? word : value;
  }

  /** Reads a key without quotes. Throws if the key is invalid, because the text before it then ended too early. */
  #readBareKey(mark: string): string {
    const end = this.#text.indexOf(':', this.position);
    const key = end - this.position > MAX_KEY_CHARS ? '' : this.#text.slice(this.position, end).trim();
    if (end === -1 || key === '' || /[,{}[\]]/.test(key)) throw new LiteralSyntaxError('a key is missing');
    this.position = end;
    return key.replaceAll(mark, '').replace(/^["']|["']$/g, '');
  }

  #readWord(): unknown {
    bareWordPattern.lastIndex = this.position;
    const word = this.position < this.#end ? bareWordPattern.exec(this.#text)?.[0] : undefined;
    if (word === undefined)
      throw new LiteralSyntaxError(this.position < this.#end ? 'a value is missing' : 'it is cut off');
    const value = this.#parseWord(word);
    if (value === undefined) throw new LiteralSyntaxError(`the value ${word.slice(0, 40)} has no quotes`);
    this.position += word.length;
    return value;
  }

  #parseWord(word: string): unknown {
    if (jsonNumberPattern.test(word)) return Number.isFinite(Number(word)) ? Number(word) : undefined;
    if (jsonWords.has(word)) return jsonWords.get(word);
    if (!relaxedWords.has(word) && !this.#isPython) return undefined;
    this.#relaxUnlessPython();
    if (relaxedWords.has(word)) return relaxedWords.get(word);
    const number = pythonNumberPattern.test(word)
      ? Number(word.replaceAll('_', '').replace(/^\+/, ''))
      : Number.NaN;
    return Number.isFinite(number) ? number : undefined;
  }

  #isStringNext(char: string): boolean {
    if (closingQuotes.has(char)) return true;
    stringPrefixPattern.lastIndex = this.position;
    return this.#isPython && stringPrefixPattern.test(this.#text);
  }

  /** Reads one string, or several adjacent strings, which Python joins. */
  #readStrings(isKey = false): string {
    let joined = this.#readString(isKey);
    while (this.#isPython && this.#isStringNext(this.#skipBlanks())) joined += this.#readString(isKey);
    return joined;
  }

  #readString(isKey: boolean): string {
    stringPrefixPattern.lastIndex = this.position;
    const prefix = this.#isPython ? (stringPrefixPattern.exec(this.#text)?.[0] ?? '') : '';
    const open = this.#text[this.position + prefix.length] ?? '';
    const quote = closingQuotes.get(open) ?? open;
    const isTriple =
      quote === open && quote !== '`' && this.#text.startsWith(open.repeat(3), this.position + prefix.length);
    const mark = isTriple && !this.#isEmptyString(open) ? quote.repeat(3) : quote;
    const start = this.position + prefix.length + mark.length;
    const end = this.#findStringEnd(mark, start, isKey);
    this.position = end + mark.length;
    return this.#decode(this.#text.slice(start, end), { mark, isRaw: /r/i.test(prefix) });
  }

  /** Returns whether three quotes in JSON are an empty text followed by a stray quote. */
  #isEmptyString(open: string): boolean {
    return !this.#isPython && this.#text.startsWith(open.repeat(6), this.position);
  }

  /** Returns the end of the string that begins at `start`, ignoring escaped quotes. */
  #findStringEnd(mark: string, start: number, isKey: boolean): number {
    let at = start;
    for (;;) {
      at = this.#text.indexOf(mark, at);
      if (at === -1 || at + mark.length > this.#end) {
        this.position = this.#end;
        throw new LiteralSyntaxError('it is cut off in the middle of a string', true);
      }
      if (this.#isEscaped(at, start)) at += 1;
      else if (!this.#mayGuess || mark.length > 1 || this.#couldEnd(at + mark.length, isKey)) return at;
      else {
        this.isExact = false;
        at += 1;
      }
    }
  }

  #isEscaped(at: number, start: number): boolean {
    let before = at;
    while (before > start && this.#text.charCodeAt(before - 1) === 92) before -= 1;
    return (at - before) % 2 === 1;
  }

  #couldEnd(at: number, isKey: boolean): boolean {
    // For most quotes, the next character shows whether they end the text.
    if (!' \n\r\t:,}]"“'.includes(this.#text[at] ?? ' ')) return false;
    const pattern = isKey ? afterKeyPattern : afterValuePattern;
    pattern.lastIndex = at;
    return pattern.test(this.#text);
  }

  /** Decodes the text between the quotes. Backslashes without a meaning stay, as in a regular expression. */
  #decode(content: string, { mark, isRaw }: { mark: string; isRaw: boolean }): string {
    if (this.#isPython) {
      if (mark.length === 1 && content.includes('\n') && !content.includes('\\\n')) this.isExact = false;
      return isRaw || !content.includes('\\')
        ? content
        : content.replace(pythonEscapePattern, decodePythonEscape);
    }
    if (mark !== '"') this.isExact = false;
    // In triple quotes, it is uncertain whether a backslash was meant as an escape.
    if (mark.length === 3 && content.includes('\\') && !this.#mayGuess)
      throw new LiteralSyntaxError('a string in triple quotes contains backslashes');
    if (mark.length === 3) return content;
    const exact = this.isExact ? parseStrictString(content) : undefined;
    if (exact !== undefined) return exact;
    this.isExact = false;
    return content.replace(jsonEscapePattern, (whole: string, escape: string) =>
      escape.length > 1
        ? String.fromCharCode(Number.parseInt(escape.slice(1), 16))
        : (escapes.get(escape) ?? whole),
    );
  }
}

/** Parses the content of a strict JSON string; undefined if it is invalid. */
function parseStrictString(content: string): string | undefined {
  // eslint-disable-next-line no-control-regex
  if (!/[\\\u0000-\u001f]/.test(content)) return content;
  return parseJson(`"${content}"`) as string | undefined;
}

function decodePythonEscape(whole: string, escape: string): string {
  if (/^[0-7]/.test(escape)) return String.fromCharCode(Number.parseInt(escape, 8));
  if (escape.length <= 1) return pythonEscapes.get(escape) ?? whole;
  const code = Number.parseInt(escape.slice(1), 16);
  return code <= 0x10ffff ? String.fromCodePoint(code) : whole;
}

/**
 * Gemma's own notation: `call:NAME{k:<|"|>text<|"|>,n:1}`. Keys are bare, strings stand between marks, objects and lists
 * nest (at most 64 levels).
 */
import { parseJson } from '../../values/json.ts';
import type { RawCall } from '../result.ts';
import { nameEnd, type Source } from '../source.ts';
import type { Body } from './body.ts';

const prefix = 'call:';
const maxBareChars = 1000;
const maxKeyChars = 300;
const maxLevels = 64;
const failed = Symbol('unreadable');
const problem = 'the arguments of the call are cut off or unreadable';

/** `mark` stands before and after each text. */
export function gemmaBody(mark: string): Body {
  return ({ source }, at) => {
    const calls: RawCall[] = [];
    let position = source.skipSpace(at);
    while (source.text.startsWith(prefix, position)) {
      const start = source.skipSpace(position + prefix.length);
      const plain = nameEnd(source.text, start);
      // Past a prefix such as `default_api:`.
      const end = source.text[plain] === ':' ? nameEnd(source.text, plain + 1) : plain;
      const open = source.skipSpace(end);
      if (end === start || source.text[open] !== '{') break;
      const reader = new GemmaReader(source, open, mark);
      const value = reader.value(0);
      if (value === failed) return { calls, end: open + 1, problem, closers: [mark] };
      calls.push({ name: source.text.slice(start, end), arguments: value });
      position = source.skipSpace(reader.at);
    }
    return calls.length > 0 ? { calls, end: position, closers: [mark] } : undefined;
  };
}

class GemmaReader {
  readonly #source: Source;
  readonly #mark: string;
  at: number;

  constructor(source: Source, at: number, mark: string) {
    this.#source = source;
    this.#mark = mark;
    this.at = at;
  }

  value(level: number): unknown {
    const char = this.#next();
    if (level > maxLevels) return failed;
    if (this.#source.text.startsWith(this.#mark, this.at)) return this.#markedText();
    if (char === '{') return this.#object(level);
    return char === '[' ? this.#list(level) : this.#bare();
  }

  #next(): string {
    this.at = this.#source.skipSpace(this.at);
    return this.#source.text[this.at] ?? '';
  }

  #object(level: number): unknown {
    const entries = new Map<string, unknown>();
    this.at += 1;
    while (this.#next() !== '}') {
      const key = this.#key();
      // What is no key, or one a second time, stands behind a text that ended too early.
      if (key === undefined || /^$|[,{}[\]]/.test(key) || entries.has(key)) return failed;
      const value = this.value(level + 1);
      if (value === failed || !this.#separate('}')) return failed;
      entries.set(key, value);
    }
    this.at += 1;
    return Object.fromEntries(entries);
  }

  #list(level: number): unknown {
    const items: unknown[] = [];
    this.at += 1;
    while (this.#next() !== ']') {
      const value = this.value(level + 1);
      if (value === failed || !this.#separate(']')) return failed;
      items.push(value);
    }
    this.at += 1;
    return items;
  }

  #separate(bracket: string): boolean {
    const next = this.#next();
    if (next === ',') this.at += 1;
    return next === ',' || next === bracket;
  }

  #key(): string | undefined {
    const end = this.#source.find(':', this.at);
    if (end === -1 || end - this.at > maxKeyChars) return undefined;
    const key = this.#source.text.slice(this.at, end).trim();
    this.at = end + 1;
    return key.replaceAll(this.#mark, '').replace(/^["']|["']$/g, '');
  }

  #markedText(): unknown {
    const start = this.at + this.#mark.length;
    const end = this.#source.find(this.#mark, start);
    if (end === -1) return failed;
    this.at = end + this.#mark.length;
    return this.#source.text.slice(start, end);
  }

  /** A number, a word, a text in plain quotes, or bare text up to the next delimiter. */
  #bare(): unknown {
    const rest = this.#source.text.slice(this.at, this.at + maxBareChars);
    const quoted = /^"(?:[^"\\]|\\.)*"/s.exec(rest)?.[0];
    if (quoted !== undefined) {
      this.at += quoted.length;
      return parseJson(quoted) ?? failed;
    }
    const end = rest.search(/[,}\]{[]/);
    if (end === -1 || '{['.includes(rest[end] ?? '')) return failed;
    this.at += end;
    const word = rest.slice(0, end).trim();
    if (word === 'None' || word === 'nil') return null;
    const value = parseJson(word.toLowerCase());
    return value === undefined ? word : value;
  }
}

/**
 * One pass over an answer's text, left to right: whatever begins first owns its span. So JSON inside a block is that
 * block's argument, a tag inside a JSON string is text, and thinking is never read. What is found are candidates, in
 * the order of the text; which of them are calls is decided in `accept.ts`.
 */
import { bare, readLines, readList, readObject } from './bare.ts';
import type { Context, Dialect } from './bodies/body.ts';
import { readNamedElement } from './bodies/elements.ts';
import { markAt, type Mark } from './dialects.ts';
import { maxCalls, type Candidate, type Span } from './result.ts';
import { matchAt, type Source } from './source.ts';
import { readThinking, type Thinking } from './thinking.ts';

export interface Scan {
  candidates: Candidate[];
  /** Thinking, results that the model made up, and marks around blocks: no part of the prose. */
  removed: Span[];
  /** The inside of the last thinking. */
  thought?: Span;
  comments: Span[];
  /** Marks behind which nothing stands that can be read as calls, though it may be meant so. */
  unread: (Span & { reason: string })[];
}

const emptyScan = (): Scan => ({ candidates: [], removed: [], comments: [], unread: [] });

/** A bracket, and what must stand behind it for something to begin there. */
const bracket =
  /\{(?=[\w\s"'“/#$])|<(?=[a-zA-Z|/!\]｜_])|\[(?:(?=[\w\s{\\\u00C0-\uFFFF])|(?<=s\[))|>>>(?=[\w.-]{1,128}[ \t]{0,8}\n)/g;
/** A line that begins with a marked fence, an action, or a name with its bracket behind it or its object below. */
const line =
  /^[ \t]*(?:```(?=tool_c|function_call)|(?=Action:|(?:print ?\()?[A-Za-z_](?:[\w.-]|\\_){0,80}(?: ?\(|[ \t]{0,8}\n\s{0,6}\{)))/gm;

const maxUnreadChars = 20_000;
const maxNameChars = 220;

export const scanAnswer = (context: Context): Scan => new Scanner(context).scan();

class Scanner {
  readonly #context: Context;
  #scan = emptyScan();
  #callCount = 0;
  /** The next of each kind from where the scan is. */
  #bracket = -1;
  #line = -1;

  constructor(context: Context) {
    this.#context = context;
  }

  scan(): Scan {
    const { source } = this.#context;
    let at = this.#next(0);
    while (at !== -1 && source.isPatient && this.#callCount <= maxCalls) {
      const found = this.#readAt(at) ?? at;
      const end = typeof found === 'number' ? found : this.#keep(found);
      at = this.#next(Math.max(end, at + 1));
    }
    return this.#scan;
  }

  #keep(candidate: Candidate): number {
    this.#scan.candidates.push(candidate);
    this.#callCount += candidate.calls.length;
    return candidate.end;
  }

  /** Where something may begin next. */
  #next(from: number): number {
    const { text } = this.#context.source;
    if (from > this.#bracket) this.#bracket = matchAt(bracket, text, from)?.index ?? text.length;
    if (from > this.#line) {
      const found = matchAt(line, text, from);
      this.#line = found ? found.index + found[0].search(/\S|$/) : text.length;
    }
    const next = Math.min(this.#bracket, this.#line);
    return next < text.length ? next : -1;
  }

  /** The candidate that begins at `at`, or where the scan goes on. */
  #readAt(at: number): Candidate | number | undefined {
    const { text } = this.#context.source;
    if (text[at] === '{') return readObject(this.#context, at);
    const marked = this.#marked(at);
    if (marked !== undefined) return marked;
    if (text[at] === '[') return readList(this.#context, at);
    if (text[at] !== '<') return readLines(this.#context, at);
    const element = readNamedElement(this.#context, at);
    return element && bare(at, element.end, { ...element, family: 'named-element' });
  }

  /** Thinking, a comment, a block of a dialect, or a result that the model made up. */
  #marked(at: number): Candidate | number | undefined {
    const { source } = this.#context;
    const thinking = readThinking(source, at);
    if (thinking) return this.#addThinking(thinking);
    if (source.text.startsWith('<!--', at)) {
      const end = source.find('-->', at);
      if (end !== -1) this.#scan.comments.push({ start: at, end });
      return at + '<!--'.length;
    }
    if (source.text.startsWith('<tool_response>', at)) {
      const close = '</tool_response>';
      const closing = source.find(close, at);
      const end = closing === -1 ? source.text.length : closing + close.length;
      this.#scan.removed.push({ start: at, end });
      return end;
    }
    const mark = markAt(source.text, at);
    return mark && this.#block(mark);
  }

  #addThinking(thinking: Thinking): number {
    // Everything before it was thought, too.
    if (thinking.start === 0) {
      this.#scan = emptyScan();
      this.#callCount = 0;
    }
    this.#scan.removed.push(thinking);
    this.#scan.thought = thinking.inside;
    return thinking.end;
  }

  #block({ dialect, start, end: afterMark }: Mark): Candidate | number | undefined {
    const { source } = this.#context;
    const at = dialect.readsMark ? start : afterMark;
    let reading;
    for (const body of dialect.bodies) reading ??= body(this.#context, at, dialect);
    if (!reading) return this.#markWithoutBody({ dialect, start, end: afterMark });
    const { calls, problem, family = dialect.family, isNameless } = reading;
    const end =
      problem === undefined ? pastClose(source, reading.end, dialect) : Math.max(afterMark, reading.end);
    if (calls.length === 0 || problem !== undefined) source.countFailure();
    if (calls.length > 0 || problem !== undefined)
      return { start, end, calls, family, isMarked: true, problem };
    this.#scan.removed.push({ start, end });
    if (isNameless) this.#scan.unread.push({ start, end, reason: 'the tool call has no name' });
    return end;
  }

  /** The mark is spoken about, doubled, or around other blocks. */
  #markWithoutBody({ dialect, start, end }: Mark): number | undefined {
    const { source } = this.#context;
    source.countFailure();
    if (dialect.readsMark) return undefined;
    if (dialect.wraps) {
      this.#scan.removed.push({ start, end });
      return end;
    }
    const closing = source.findAny(dialect.close, end);
    if (closing !== -1 && closing - end < maxUnreadChars)
      this.#scan.unread.push({ start, end, reason: 'the tool call cannot be read' });
    // Half of a name, or nothing at all.
    else if (source.text.length - end < maxNameChars && !/\S\s+\S/.test(source.text.slice(end)))
      this.#scan.unread.push({ start, end, reason: 'the tool call is cut off' });
    return end;
  }
}

/** Past the mark that closes the block. */
function pastClose(source: Source, at: number, { close }: Dialect): number {
  const position = source.skipSpace(at);
  const mark = source.markAt(close, position);
  return mark === undefined ? at : position + mark.length;
}

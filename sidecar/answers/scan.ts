/**
 * One pass over an answer's text, left to right: whatever begins first owns its span. So JSON inside a block is that
 * block's argument, a tag inside a JSON string is text, and thinking is never read. What is found are candidates, in
 * the order of the text; which of them are calls is decided in `accept.ts`.
 */
import { readLines, readList, readObject } from './bare.ts';
import type { Context, Dialect } from './bodies/body.ts';
import { readNamedElement } from './bodies/elements.ts';
import { markAt, type Mark } from './dialects.ts';
import { maxCalls, type Candidate, type Span } from './result.ts';
import { matchAt } from './source.ts';
import { readThinking, type Thinking } from './thinking.ts';

export interface Scan {
  candidates: Candidate[];
  /** Thinking, results that the model made up, and marks around blocks: no part of the prose. */
  removed: Span[];
  thinking: Thinking[];
  comments: Span[];
  /** Marks behind which nothing stands that can be read as calls, though it may be meant so. */
  unread: (Span & { reason: string })[];
  /** Where reading stopped, before the end of the text where there are too many calls. */
  end: number;
}

const emptyScan = (end: number): Scan => ({
  candidates: [],
  removed: [],
  thinking: [],
  comments: [],
  unread: [],
  end,
});

/** A bracket, and what must stand behind it for something to begin there. */
const bracket =
  /\{(?=[\w\s"'“/#$])|<(?=[a-zA-Z|/!\]｜_])|\[(?:(?=[\w\s{\\\u00C0-\uFFFF])|(?<=s\[))|>>>(?=[\w.-]{1,128}[ \t]{0,8}\n)/g;
/** A line that begins with a marked fence, an action, or a name with its bracket behind it or its object below. */
const line =
  /[ \t]*(?:```(?=tool_c|function_call)|(?=Action:|(?:print ?\()?[A-Za-z_](?:[\w.-]|\\_){0,80}(?: ?\(|[ \t]{0,8}\n\s{0,6}\{)))/;
const firstLine = new RegExp(line, 'y');
const laterLine = new RegExp(`\n${line.source}`, 'g');

const maxUnreadChars = 20_000;
const maxNameChars = 220;

export function scanAnswer(context: Context): Scan {
  return new Scanner(context).scan();
}

class Scanner {
  readonly #context: Context;
  #scan: Scan;
  #callCount = 0;
  /** The next of each kind from where the scan is. */
  #bracket = -1;
  #line = -1;

  constructor(context: Context) {
    this.#context = context;
    this.#scan = emptyScan(context.source.text.length);
  }

  scan(): Scan {
    const { source } = this.#context;
    let at = this.#next(0);
    while (at !== -1 && source.isPatient && this.#callCount <= maxCalls) {
      const reached = Math.max(this.#readAt(at), at + 1);
      if (this.#callCount > maxCalls) this.#scan.end = reached;
      at = this.#next(reached);
    }
    return this.#scan;
  }

  /** Where something may begin next. */
  #next(from: number): number {
    const { text } = this.#context.source;
    if (from > this.#bracket) this.#bracket = matchAt(bracket, text, from)?.index ?? text.length;
    if (from > this.#line) {
      const first = from === 0 ? matchAt(firstLine, text, 0) : null;
      const found = first ?? matchAt(laterLine, text, Math.max(0, from - 1));
      this.#line = found ? found.index + found[0].length - found[0].trimStart().length : text.length;
    }
    const next = Math.min(this.#bracket, this.#line);
    return next < text.length ? next : -1;
  }

  /** Reads what begins at `at`; returns where the scan goes on. */
  #readAt(at: number): number {
    const { text } = this.#context.source;
    if (text[at] === '{') return this.#keep(readObject(this.#context, at), at);
    const marked = this.#marked(at);
    if (marked !== undefined) return marked;
    if (text[at] === '[') return this.#keep(readList(this.#context, at), at);
    if (text[at] !== '<') return this.#keep(readLines(this.#context, at), at);
    const element = readNamedElement(this.#context, at);
    const asCall = { kind: 'calls', start: at, family: 'named-element', isMarked: false } as const;
    return this.#keep(element && { ...asCall, ...element }, at);
  }

  /** Keeps a candidate; returns where the scan goes on, which is `at` where there is none. */
  #keep(found: Candidate | number | undefined, at: number): number {
    if (found === undefined || typeof found === 'number') return found ?? at;
    this.#scan.candidates.push(found);
    if (found.kind === 'calls') this.#callCount += found.calls.length;
    return found.end;
  }

  /** Thinking, a comment, a block of a dialect, or a result that the model made up. */
  #marked(at: number): number | undefined {
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
      this.#scan = emptyScan(this.#context.source.text.length);
      this.#callCount = 0;
    }
    this.#scan.removed.push(thinking);
    this.#scan.thinking.push(thinking);
    return thinking.end;
  }

  #block({ dialect, start, end: afterMark }: Mark): number | undefined {
    const { source } = this.#context;
    const at = dialect.readsMark ? start : afterMark;
    let reading;
    for (const body of dialect.bodies) reading ??= body(this.#context, at, dialect);
    if (!reading) return this.#markWithoutBody({ dialect, start, end: afterMark });
    const { calls, problem, family = dialect.family } = reading;
    const end = pastClose(source, reading.end, dialect);
    if (calls.length === 0 && problem === undefined) {
      this.#scan.removed.push({ start, end });
      source.countFailure();
      if (reading.isNameless) this.#scan.unread.push({ start, end, reason: 'the tool call has no name' });
      return end;
    }
    this.#keep({ kind: 'calls', start, end, calls, family, isMarked: true, problem }, end);
    if (problem === undefined) return end;
    source.countFailure();
    return Math.max(afterMark, reading.end);
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
function pastClose(source: Context['source'], at: number, { close }: Dialect): number {
  const position = source.skipSpace(at);
  const mark = source.markAt(close, position);
  return mark === undefined ? at : position + mark.length;
}

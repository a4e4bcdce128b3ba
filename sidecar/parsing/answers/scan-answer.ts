/**
 * Scans an answer's text once, from left to right. The construct that begins first owns its span: JSON inside
 * a block is the argument of that block, a tag inside a JSON string is text, and thinking is never searched
 * for calls. The candidates are in the order of the text; `accept-candidates.ts` decides which of them are calls.
 */
import type { Span } from '../../base/values/span.ts';
import { buildBareCandidate, readCallAtLineStart, readCallList, readObject } from './bare-calls.ts';
import type { ParseContext, Dialect } from './bodies/body-reader.ts';
import { readNamedElement } from './bodies/elements.ts';
import { findMarkAt, type DialectMark } from './dialects.ts';
import { MAX_CALLS, type CallCandidate } from './parsed-answer.ts';
import { matchAt, type AnswerText } from './answer-text.ts';
import { readThinking, type Thinking } from './thinking.ts';

export interface AnswerScan {
  candidates: CallCandidate[];
  /** Spans that are not prose: thinking, tool results that the model invented, and marks around blocks. */
  removedSpans: Span[];
  /** Span of the text in the last thinking. */
  lastThinking?: Span;
  /** Spans of HTML comments. */
  comments: Span[];
  /** Spans of marks after which no call can be read, although a call may be meant. */
  unreadSpans: (Span & { reason: string })[];
}

const createEmptyScan = (): AnswerScan => ({
  candidates: [],
  removedSpans: [],
  comments: [],
  unreadSpans: [],
});

/** Matches a bracket with the following text with which a construct must begin. */
const constructStart =
  /\{(?=[\w\s"'“/#$])|<(?=[a-zA-Z|/!\]｜_])|\[(?:(?=[\w\s{\\\u00C0-\uFFFF])|(?<=s\[))|>>>(?=[\w.-]{1,128}[ \t]{0,8}\n)/g;
/** Matches the start of a line with a marked fence, an action, or a name followed by its bracket or an object. */
const callLine =
  /^[ \t]*(?:```(?=tool_c|function_call)|(?=Action:|(?:print ?\()?[A-Za-z_](?:[\w.-]|\\_){0,80}(?: ?\(|[ \t]{0,8}\n\s{0,6}\{)))/gm;

const MAX_UNREAD_CHARS = 20_000;
const MAX_NAME_CHARS = 220;

export const scanAnswer = (context: ParseContext): AnswerScan => new Scanner(context).scan();

class Scanner {
  readonly #context: ParseContext;
  #scan = createEmptyScan();
  #callCount = 0;
  /** Next position of each kind of match. */
  #nextBracket = -1;
  #nextLine = -1;

  constructor(context: ParseContext) {
    this.#context = context;
  }

  scan(): AnswerScan {
    const { source } = this.#context;
    let offset = this.#findNext(0);
    while (offset !== -1 && source.hasBudget && this.#callCount <= MAX_CALLS) {
      const result = this.#readAt(offset) ?? offset;
      const end = typeof result === 'number' ? result : this.#addCandidate(result);
      offset = this.#findNext(Math.max(end, offset + 1));
    }
    return this.#scan;
  }

  #addCandidate(candidate: CallCandidate): number {
    this.#scan.candidates.push(candidate);
    this.#callCount += candidate.calls.length;
    return candidate.end;
  }

  /** Returns the position at which the next construct may begin. */
  #findNext(from: number): number {
    const { text } = this.#context.source;
    if (from > this.#nextBracket)
      this.#nextBracket = matchAt(constructStart, text, from)?.index ?? text.length;
    if (from > this.#nextLine) {
      const match = matchAt(callLine, text, from);
      this.#nextLine = match ? match.index + match[0].search(/\S|$/) : text.length;
    }
    const next = Math.min(this.#nextBracket, this.#nextLine);
    return next < text.length ? next : -1;
  }

  /** Reads the construct at `offset`. Returns a candidate, or the position at which the scan continues. */
  #readAt(offset: number): CallCandidate | number | undefined {
    const { text } = this.#context.source;
    if (text[offset] === '{') return readObject(this.#context, offset);
    const marked = this.#readMarkup(offset);
    if (marked !== undefined) return marked;
    if (text[offset] === '[') return readCallList(this.#context, offset);
    if (text[offset] !== '<') return readCallAtLineStart(this.#context, offset);
    const element = readNamedElement(this.#context, offset);
    return element && buildBareCandidate(offset, element.end, { ...element, family: 'named-element' });
  }

  /** Reads thinking, a comment, a block of a dialect, or a tool result that the model invented. */
  #readMarkup(offset: number): CallCandidate | number | undefined {
    const { source } = this.#context;
    const thinking = readThinking(source, offset);
    if (thinking) return this.#addThinking(thinking);
    if (source.text.startsWith('<!--', offset)) {
      const end = source.find('-->', offset);
      if (end !== -1) this.#scan.comments.push({ start: offset, end });
      return offset + '<!--'.length;
    }
    if (source.text.startsWith('<tool_response>', offset)) {
      const close = '</tool_response>';
      const closing = source.find(close, offset);
      const end = closing === -1 ? source.text.length : closing + close.length;
      this.#scan.removedSpans.push({ start: offset, end });
      return end;
    }
    const mark = findMarkAt(source.text, offset);
    return mark && this.#readBlock(mark);
  }

  #addThinking(thinking: Thinking): number {
    // This closing mark has no opening mark, so all text before it is thinking, too.
    if (thinking.start === 0) {
      this.#scan = createEmptyScan();
      this.#callCount = 0;
    }
    this.#scan.removedSpans.push(thinking);
    this.#scan.lastThinking = thinking.content;
    return thinking.end;
  }

  #readBlock({ dialect, start, end: afterMark }: DialectMark): CallCandidate | number | undefined {
    const { source } = this.#context;
    const bodyStart = dialect.isMarkInBody ? start : afterMark;
    let reading;
    for (const body of dialect.bodyReaders) reading ??= body(this.#context, bodyStart, dialect);
    if (!reading) return this.#handleBareMark({ dialect, start, end: afterMark });
    const { calls, problem, family = dialect.family, isNameless } = reading;
    const end =
      problem === undefined ? skipCloseMark(source, reading.end, dialect) : Math.max(afterMark, reading.end);
    if (calls.length === 0 || problem !== undefined) source.countFailure();
    if (calls.length > 0 || problem !== undefined)
      return { start, end, calls, family, isMarked: true, problem };
    this.#scan.removedSpans.push({ start, end });
    if (isNameless) this.#scan.unreadSpans.push({ start, end, reason: 'the tool call has no name' });
    return end;
  }

  /** Handles a mark without a call: the mark is only mentioned, is doubled, or encloses other blocks. */
  #handleBareMark({ dialect, start, end }: DialectMark): number | undefined {
    const { source } = this.#context;
    source.countFailure();
    if (dialect.isMarkInBody) return undefined;
    if (dialect.mayWrapDialects) {
      this.#scan.removedSpans.push({ start, end });
      return end;
    }
    const closing = source.findAny(dialect.closeMarks, end);
    if (closing !== -1 && closing - end < MAX_UNREAD_CHARS)
      this.#scan.unreadSpans.push({ start, end, reason: 'the tool call cannot be read' });
    // The answer ends within the name, or directly after the mark.
    else if (source.text.length - end < MAX_NAME_CHARS && !/\S\s+\S/.test(source.text.slice(end)))
      this.#scan.unreadSpans.push({ start, end, reason: 'the tool call is cut off' });
    return end;
  }
}

/** Returns the position after the mark that closes the block. */
function skipCloseMark(source: AnswerText, offset: number, { closeMarks }: Dialect): number {
  const position = source.skipSpace(offset);
  const mark = source.findMarkAt(closeMarks, position);
  return mark === undefined ? offset : position + mark.length;
}

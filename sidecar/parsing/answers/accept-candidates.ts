/**
 * Decides which candidates are calls. Without the marks of a dialect, a call must name a known tool. A
 * candidate is no call if it is only shown: in inline code, in an HTML comment, in a fence of another
 * language, or (without marks) after an announced example. A candidate that is the entire answer always
 * counts as a call.
 */
import type { Span } from '../../base/values/span.ts';
import type { ParseContext } from './bodies/body-reader.ts';
import { isBlank, MAX_BLANK_CHARS, extractVisibleText } from './prose.ts';
import type { CallCandidate, ParsedAnswer } from './parsed-answer.ts';
import type { AnswerScan } from './scan-answer.ts';

export interface AcceptedCalls {
  calls: CallCandidate[];
  /** Final answer in JSON; set if it is the last candidate and there are no calls. */
  answer?: ParsedAnswer | undefined;
  /** Reason why a marked block cannot be read; set unless the block is only shown as an example. */
  unreadReason?: string;
}

export function acceptCandidates({ source, tools }: ParseContext, scan: AnswerScan): AcceptedCalls {
  if (scan.candidates.length === 0 && scan.unreadSpans.length === 0) return { calls: [] };
  const surroundings = new Surroundings(source.text, scan);
  const calls: CallCandidate[] = [];
  for (const group of groupAdjacent(scan, surroundings)) {
    const isKnown = group.some(
      (candidate) =>
        candidate.isMarked ||
        candidate.problem !== undefined ||
        candidate.calls.some(({ name }) => tools.isTool(name)) ||
        (candidate.family === undefined && !tools.isExplicit),
    );
    const isExample = group.some((candidate) => surroundings.isExample(candidate, group[0]));
    const isExplanation =
      !group.some(({ isMarked }) => isMarked) && surroundings.beginsWithCertainCalls(calls);
    if (surroundings.isWholeAnswer || (isKnown && !isExample && !isExplanation)) calls.push(...group);
  }
  const last = scan.candidates.at(-1);
  const isLast = last !== undefined && surroundings.isBlankBetween(last.end, source.text.length);
  return {
    calls,
    answer: calls.length === 0 && isLast ? last.answer : undefined,
    unreadReason: scan.unreadSpans.find((span) => !surroundings.isExample({ ...span, isMarked: true }))
      ?.reason,
  };
}

/**
 * Groups candidates without marks that are separated only by a comment. If one of them names a known tool, all of them are calls. A marked
 * candidate forms its own group.
 */
function groupAdjacent(scan: AnswerScan, surroundings: Surroundings): CallCandidate[][] {
  const groups: CallCandidate[][] = [];
  for (const candidate of scan.candidates) {
    if (candidate.answer) continue;
    const group = groups.at(-1);
    const previous = group?.at(-1);
    const isAdjacent =
      previous && surroundings.isBlankBetween(previous.end, candidate.start, trailingComment);
    if (group && isAdjacent && !previous.isMarked && !candidate.isMarked) group.push(candidate);
    else groups.push([candidate]);
  }
  return groups;
}

/** Languages on code fences in which model families write calls. */
const callLanguages = new Set(
  ' json json5 jsonc xml tool_call tool_calls tool_code tool tool_use function_call action'.split(' '),
);
const fenceLine = /^[ \t>]{0,12}(`{3,}|~{3,}(?!~))(?=[^\n`]*$)[ \t]{0,20}([\w+#.-]{0,30}).*/gm;
const announcement = /\b(?:examples?|instance|e\.g\.)(?![^\n]*[.!?]\s)[^\n]*[:：]$/i;
const commentLine = /^[ \t]*(?:#|\/\/).*$/gm;
const trailingComment = /^[ \t]*#.*/;
const maxLineChars = 2000;

interface Fence extends Span {
  language: string;
  mark: string;
  /** Start of the fence's content. */
  contentStart: number;
}

/** Examines the text around the candidates of one answer. */
class Surroundings {
  readonly #text: string;
  readonly #scan: AnswerScan;
  /** Spans that are not prose, in the order of the text. */
  readonly #spans: Span[];
  readonly #fences: readonly Fence[];
  /** Whether the answer contains only its candidates. */
  readonly isWholeAnswer: boolean;

  constructor(text: string, scan: AnswerScan) {
    this.#text = text;
    this.#scan = scan;
    this.#spans = [...scan.removedSpans, ...scan.candidates].sort((a, b) => a.start - b.start);
    this.#fences = readFences(text, scan.candidates);
    this.isWholeAnswer = this.isBlankBetween(0, text.length, '', this.#spans);
  }

  /** Returns whether the answer begins with certain calls. If so, later candidates without marks only explain them. */
  beginsWithCertainCalls(accepted: readonly CallCandidate[]): boolean {
    const isCertain = accepted.every(
      ({ calls, problem, isMarked }) =>
        !isMarked && problem === undefined && calls.every(({ repaired }) => !repaired),
    );
    return accepted[0] !== undefined && isCertain && this.isBlankBetween(0, accepted[0].start);
  }

  /** Returns whether the text between two positions has only white space, marks and matches of `blank`. */
  isBlankBetween(
    from: number,
    to: number,
    blank: RegExp | '' = '',
    spans = this.#scan.removedSpans,
  ): boolean {
    return isBlank(extractVisibleText(this.#text, spans, from, to, MAX_BLANK_CHARS).replace(blank, ''));
  }

  /**
   * Returns whether a candidate is only shown. `first`: the first candidate of its row, directly after a possible
   * announcement of an example.
   */
  isExample(candidate: Span & { isMarked: boolean; family?: string }, first: Span = candidate): boolean {
    return (
      this.#isInInlineCode(candidate) ||
      this.#scan.comments.some(({ start, end }) => start < candidate.start && candidate.start < end) ||
      this.#isInForeignFence(candidate) ||
      (!candidate.isMarked && this.#isAnnounced(first))
    );
  }

  #isInInlineCode({ start, end }: Span): boolean {
    const from = Math.max(0, start - maxLineChars);
    const lineStart = from + this.#text.slice(from, start).lastIndexOf('\n') + 1;
    const spansBefore = this.#spans.filter((span) => span.start >= lineStart && span.end <= start);
    // The texts are joined with a dot, so that the marks before and after a span do not become one mark.
    const textsBefore = spansBefore.map((span, index) =>
      this.#text.slice(spansBefore[index - 1]?.end ?? lineStart, span.start),
    );
    const textBefore = [...textsBefore, this.#text.slice(spansBefore.at(-1)?.end ?? lineStart, start)].join(
      '.',
    );
    if ((textBefore.match(inlineMark)?.length ?? 0) % 2 === 0) return false;
    const textAfter = this.#text.slice(end, end + maxLineChars);
    return (textAfter.split('\n', 1)[0] ?? '').search(inlineMark) !== -1;
  }

  #isInForeignFence({ start: offset, family }: { start: number; family?: string }): boolean {
    const fence = this.#fences.find(({ start, end }) => start <= offset && offset < end);
    if (!fence || callLanguages.has(fence.language) || this.isBlankBetween(0, offset, '', this.#spans))
      return false;
    return (
      family !== 'pythonic' || !this.isBlankBetween(fence.contentStart, fence.end, commentLine, this.#spans)
    );
  }

  #isAnnounced({ start }: Span): boolean {
    const textBefore = this.#text.slice(Math.max(0, start - maxLineChars), start);
    let line = textBefore
      .trimEnd()
      .replace(/(?:```|~~~)\w{0,20}$/, '')
      .trimEnd();
    while (line.endsWith('[')) line = line.slice(0, -1).trimEnd();
    return announcement.test(line.slice(line.lastIndexOf('\n') + 1));
  }
}

/** Matches the marks of inline code: one or two backticks. Three backticks are a fence. */
const inlineMark = /(?<!`)`{1,2}(?!`)/g;

/** Finds the code fences outside of candidates. A fence inside a candidate is part of the candidate's values. */
function readFences(text: string, spans: readonly Span[]): Fence[] {
  const fences: Fence[] = [];
  let openFence: Fence | undefined;
  let spanIndex = 0;
  for (const { 0: line, 1: mark = '', 2: language = '', index } of text.matchAll(fenceLine)) {
    while ((spans[spanIndex]?.end ?? Infinity) <= index) spanIndex += 1;
    if ((spans[spanIndex]?.start ?? Infinity) <= index) continue;
    if (
      openFence &&
      mark[0] === openFence.mark[0] &&
      mark.length >= openFence.mark.length &&
      language === ''
    ) {
      openFence.end = index;
      openFence = undefined;
    } else if (!openFence) {
      const contentStart = index + line.length;
      openFence = { start: index, end: text.length, mark, language: language.toLowerCase(), contentStart };
      fences.push(openFence);
    }
  }
  return fences;
}

/**
 * Tells a call that is made from one that is only quoted, described, logged or given as an example. Judged by what
 * stands around it, for calls that were found already: so a fence or a backtick inside of a call's texts never counts.
 * What is plain text for anybody else (`bare`) must also be the last thing said.
 */
import { visibleText, type Span } from './prose.ts';

export interface FoundCall extends Span {
  /** No marks of a model family say that it is a call. */
  bare: boolean;
}

/** Languages of fences in which families write calls. A Python fence with nothing but calls is read elsewhere. */
const callLanguages = new Set([
  '',
  'json',
  'json5',
  'jsonc',
  'tool_call',
  'tool_calls',
  'tool_code',
  'tool',
  'tool_use',
  'function_call',
  'action',
]);
const fenceLine = /^[ \t>]{0,12}(`{3,}|~{3,}(?!~))[ \t]{0,20}([\w+#.-]{0,30})[^\n`]*$/gm;
const maxLookBack = 600;
const maxPrefix = 200;
/** Thinking may stand between two calls; so much of it is looked through. */
const maxRest = 20_000;
const maxRemoved = 100;
/** So much may be said behind a call, without thinking. */
const maxSaid = 500;

/** Which of the calls (in order of their start) are only quoted. */
export function quotedCalls(
  text: string,
  found: readonly FoundCall[],
  removed: readonly Span[] = [],
): ReadonlySet<FoundCall> {
  const quoted = new Set<FoundCall>();
  const outside = new OutsideText(text, found);
  let previous: FoundCall | undefined;
  for (const call of found) {
    const after = previous && !quoted.has(previous) ? previous.end : 0;
    if (outside.isInForeignFence(call) || isQuotedAt(text, call, after)) quoted.add(call);
    previous = call;
  }
  withoutLastWord(text, { found, removed, quoted });
  return quoted;
}

/** The text without the calls, read from left to right for its code fences. */
class OutsideText {
  readonly #text: string;
  readonly #found: readonly FoundCall[];
  /** Where the answer begins to say something; a fence there has only white space before it. */
  readonly #first: number;
  #at = 0;
  #next = 0;
  /** The fence that is open at the place that was reached. */
  #open: { mark: string; language: string; start: number } | undefined;

  constructor(text: string, found: readonly FoundCall[]) {
    this.#text = text;
    this.#found = found;
    this.#first = text.length - text.trimStart().length;
  }

  /** A fence of another language, unless there is nothing but it in the answer. */
  isInForeignFence({ start }: Span): boolean {
    this.#goTo(start);
    if (!this.#open || callLanguages.has(this.#open.language.toLowerCase())) return false;
    return this.#first < this.#open.start || !this.#isWholeCall(start);
  }

  #isWholeCall(start: number): boolean {
    const { start: fence = 0 } = this.#open ?? {};
    if (start - fence > maxPrefix) return false;
    const line = this.#text.indexOf('\n', fence);
    return this.#text.slice(line, start).trim() === '' && this.#open?.language.toLowerCase() !== 'diff';
  }

  #goTo(start: number): void {
    while (this.#at < start) {
      const call = this.#found[this.#next];
      const end = Math.min(start, call?.start ?? start);
      if (end > this.#at) this.#readFences(this.#at, end);
      this.#at = Math.max(this.#at, end);
      if (call && call.start < start && this.#at >= call.start) {
        this.#at = Math.max(this.#at, call.end);
        this.#next += 1;
      } else if (end === start) break;
    }
  }

  #readFences(from: number, to: number): void {
    const part = this.#text.slice(from, to);
    if (!part.includes('```') && !part.includes('~~~')) return;
    for (const line of part.matchAll(fenceLine)) {
      const [, mark = '', language = ''] = line;
      if (!this.#open) this.#open = { mark, language, start: from + line.index };
      else if (mark.startsWith(this.#open.mark.slice(0, 3)) && language === '') this.#open = undefined;
    }
  }
}

/** Words before a call that say that it is none of now. */
const example =
  /\b(?:for (?:example|instance)|e\.g|examples?|sample|such as|like (?:this|so|these)|looks? like|would (?:be|look|call|send|write|emit|answer|produce|use|have|return)|could (?:be|call|send|write|use)|might (?:be|call|send|write|look)|hypothetical\w*|imagine|suppose|template|placeholder|syntax|schema|formats?|formatted|documentation|docs|instead of|rather than|don't|do not|never|not to|avoid|wrong|incorrect(?:ly)?|bad|invalid|malformed|mistake|should(?:n't| not)|must not|used to|previously|earlier|yesterday|last time|is (?:written|encoded|serialized|represented|parsed|treated|rendered) as|means|stands for)\b[^\n]{0,80}:?\s*$/i;
/** Where a call that follows comes from, said by itself. */
const source =
  /\bthe (?:log|transcript|trace|history|output|test|fixture|parser|prompt|spec|model|agent|assistant|user|request|payload|message|body|snippet|string|regex|document|documentation|page|readme)\b[^\n]{0,80}:?\s*$/i;
const past =
  /\b(?:called|invoked|sent|issued|ran|executed|used|wrote|made|emitted|logged|recorded|returned|received|produced|printed|tried|replied|answered|responded|requested|contained|contains|shows?|showed|began|started with|ended with|was|were)\b[^\n{<[]{0,80}:?\s*$/i;
const listed = /^\s*(?:\d+[.)]|[-*•])\s+\S/;
/** Roles, times and levels, comments, quotations, prompts of a shell, tables. */
const recorded =
  /^\s*(?:>(?!>>)|\||\/\/|#|\/?\*|<!--|\$ |(?:user|human|assistant|system|tool|agent|model|bot|ai|role|output|input|result|observation|log|note|q|a)\s*:|\[?\d{2,4}[-:/.]\d{2}|\[?(?:info|debug|warn(?:ing)?|error|trace)\b|[\w.-]{1,40}\s*(?:=|=>|<-)\s*$|(?:const|let(?! me| us|['’]s)|var|return|import|assert|expect|yield|await|def|echo)\b)/i;
const inString = /["'(=,+]\s*$/;

function isQuotedAt(text: string, { start, bare }: FoundCall, after: number): boolean {
  const lineStart = Math.max(text.lastIndexOf('\n', start - 1) + 1, start - maxPrefix, after);
  const prefix = text.slice(lineStart, start).replace(/^[\s\]},;]+/, '');
  const before = text.slice(Math.max(after, start - maxLookBack), start);
  if (isInBackticks(text, start, lineStart) || isInMarkup(text, before, start)) return true;
  if (/(?:\.\.\.|…)[ \t[({]*$/.test(prefix) || /(?:^|\n)[ \t]*\[?(?:\.\.\.|…)\]?[ \t]*\n\s*$/.test(before))
    return true;
  if (recorded.test(prefix) || (bare && inString.test(prefix.replace(/\[\s*$/, '')))) return true;
  const introduction = introductionOf(before);
  if (example.test(introduction) || (listed.test(introduction) && past.test(introduction))) return true;
  return (past.test(introduction) || source.test(introduction)) && !intention.test(introduction);
}

const intention =
  /\b(?:i'll|i will|let me|let's|i am going to|i'm going to|i need to|i want to|i have to|i must|i should|i can|now i|next,? i)\b[^\n]{0,120}$/i;

/** The last sentence before a call, on its line or in the line above it. */
function introductionOf(before: string): string {
  const plain = before
    .replaceAll('’', "'")
    .replace(/(?:```|~~~)[\w+-]{0,30}[ \t]*\n\s*$/, '')
    .replace(/[\s[(]+$/, '');
  const line = plain.slice(plain.lastIndexOf('\n') + 1);
  const [end] = [...line.matchAll(/[.!?]\s+(?=\S)/g)].slice(-1);
  return end ? line.slice(end.index + end[0].length) : line;
}

/** Inside of inline code: an odd number of backticks before it on its line. */
function isInBackticks(text: string, start: number, lineStart: number): boolean {
  const ticks = text.slice(lineStart, start).replace(/`{3,}/g, '').split('`').length - 1;
  return ticks % 2 === 1;
}

/** One space or line feed for each run of white space: what follows reads it in time that grows with its square. */
const squeezed = (text: string): string =>
  text.replace(/\s+/g, (space) => (space.includes('\n') ? '\n' : ' '));

/** Elements around a call that belong to the call itself. */
const ownElements = new Set(
  'tool_call tool_calls tool_use tool tools function_call function_calls functions function action actions answer response output invoke think'.split(
    ' ',
  ),
);

/** Inside of an HTML comment, or right behind the opening tag of an element of another kind. */
function isInMarkup(text: string, before: string, start: number): boolean {
  if (before.lastIndexOf('<!--') > before.lastIndexOf('-->')) return true;
  const name = /<([a-z][\w-]{0,40})(?:\s[^<>\n]{0,200})?>\s*(?:[\w ,.:-]{1,80}:?\s*)?$/i.exec(
    squeezed(before),
  )?.[1];
  if (name === undefined || ownElements.has(name.toLowerCase())) return false;
  return text.slice(start, start + 20_000).includes(`</${name}>`);
}

/** What may stand between two calls or behind the last one and says nothing of its own. */
const between =
  /^[\s\]},;`]*(?:```[a-z_]{0,20}\s*)?(?:(?:and|then|next|now|first|second|also|finally|after that)\b[^\n.{]{0,40}:?)?[\s[`]*(?:json)?\s*$/i;
const afterthought =
  /^[\s\]},;)`.]*(?:(?:now|next|then|first|please|done|ok)[.!]?|(?:<\|?\/?[\w|]{1,30}>|<\/s>)+)?[\s`]*$/i;
const announcement =
  /^[\s`]*(?:(?:then|now|next|after that),? )?(?:i|i'll|i will|let me|we|we'll)\b[^\n{}]{0,160}\s*$/i;

/** Bare calls count where they end the answer, alone or one after the other. */
function withoutLastWord(
  text: string,
  {
    found,
    removed,
    quoted,
  }: { found: readonly FoundCall[]; removed: readonly Span[]; quoted: Set<FoundCall> },
): void {
  let end = text.length;
  let isLast = true;
  for (const call of found.toReversed()) {
    if (quoted.has(call) || !call.bare) {
      isLast &&= !quoted.has(call);
      end = call.start;
      continue;
    }
    const isNear = end - call.end <= maxRest;
    const rest = isNear
      ? squeezed(visibleText(text, removed.length > maxRemoved ? [] : removed, call.end, end))
      : '';
    const isShort = isNear && rest.length <= maxSaid;
    const isOpening = call.start <= maxPrefix && /^\s*(?:```\w*\s*)?\[?\s*$/.test(text.slice(0, call.start));
    const says = end === text.length ? afterthought : between;
    const isRight = isShort && (says.test(rest) || (isOpening && isLast && announcement.test(rest)));
    if (!isRight || !isLast) {
      quoted.add(call);
      isLast = false;
    }
    end = call.start;
  }
}

/** One file as it is shown: whole, or the definitions that matter with line numbers and an outline of the rest. */
import { definitionsOf, outlineOf, withNested, type Definition } from '../definitions/index.ts';
import { fenced } from '../values/fenced.ts';
import { linesWithin, shorten } from '../values/shortening.ts';
import { innermostAt } from './failing-code.ts';
import { namesPattern } from './find-identifiers.ts';
import { fenceLanguage } from './left-out.ts';

/** A definition longer than this is shown by its beginning. */
const MAX_DEFINITION_LINES = 160;
const MAX_OUTLINE_LINES = 80;
/** Share of the budget for the names of what is not shown. */
const OUTLINE_SHARE = 0.15;
const MAX_LINE_CHARS = 240;

export interface PartsOptions {
  path: string;
  text: string;
  identifiers: readonly string[];
  /** Lines that failures name. */
  lines: readonly number[];
  /** Names that make a definition more likely to matter than another; what room is left goes to these first. */
  related: ReadonlySet<string>;
  maxChars: number;
}

export function wholeFile(path: string, text: string): string {
  return `${pathLine(path)}\n${fenced(text, fenceLanguage(path))}`;
}

/** A path cannot pose as another line. */
const pathLine = (path: string): string => path.replaceAll(/\p{Cc}/gu, '?');

interface Span {
  start: number;
  end: number;
}

/** Undefined where nothing in it is known to matter and it has no outline. */
export async function fileParts(options: PartsOptions): Promise<string | undefined> {
  const { path, text, maxChars } = options;
  const lines = text.split('\n');
  const definitions = await definitionsOf(path, text);
  const wanted = definitions ? fromDefinitions(definitions, options) : aroundLines(lines, options);
  const outline = (definitions && (await outlineOf(path, text))) ?? [];
  const chosen: Span[] = [];
  let room = maxChars - path.length - 100;
  const partOf = ({ start, end }: Span): string => {
    const body = lines
      .slice(start - 1, end)
      .map(cut)
      .join('\n');
    return `Lines ${start} to ${end}:\n${fenced(body, fenceLanguage(path))}`;
  };
  const choose = (span: Span, left = 0): void => {
    const { start } = span;
    const end = Math.min(span.end, start + MAX_DEFINITION_LINES - 1);
    const cost = partOf({ start, end }).length + 1;
    const isThere = chosen.some((other) => start <= other.end && other.start <= end);
    if (cost > room - left || isThere) return;
    room -= cost;
    chosen.push({ start, end });
  };
  for (const span of merged(wanted)) choose(span);
  for (const span of others(definitions ?? [], options)) choose(span, maxChars * OUTLINE_SHARE);
  const shown = merged(chosen);
  const parts = shown.map(partOf);
  const isShown = (line: number): boolean => shown.some(({ start, end }) => start <= line && line <= end);
  const rest = outline.filter((line) => !isShown(Number.parseInt(line, 10)));
  const kept = linesWithin(rest.slice(0, MAX_OUTLINE_LINES).map(cut), room - 60);
  if (parts.length === 0 && kept.length === 0) return undefined;
  const names = kept.length > 0 ? [`Outline (line numbers):\n${kept.join('\n')}`] : [];
  return [`${pathLine(path)} (${lines.length} lines, in parts)`, ...parts, ...names].join('\n');
}

const cut = (line: string): string => shorten(line, MAX_LINE_CHARS);

/** The innermost definitions that have a wanted name or hold a wanted line, in order of weight: failing lines first. */
function fromDefinitions(definitions: readonly Definition[], { identifiers, lines }: PartsOptions): Span[] {
  const holding = lines.flatMap((line) => innermostAt(definitions, line) ?? []);
  const names = new Set(identifiers);
  return [...holding, ...named(definitions, names)].map(({ startLine, endLine }) => ({
    start: startLine,
    end: endLine,
  }));
}

/**
 * All definitions, the related ones first: from an outline alone no model sees what to change. The members of one that is
 * too large follow by themselves.
 */
function others(definitions: readonly Definition[], { related }: PartsOptions): Span[] {
  const all = withNested(definitions);
  const isRelated = ({ names }: Definition): boolean => names.some((name) => related.has(name));
  return [...all.filter(isRelated), ...all.filter((each) => !isRelated(each))].map(
    ({ startLine, endLine }) => ({ start: startLine, end: endLine }),
  );
}

function named(definitions: readonly Definition[], names: ReadonlySet<string>): Definition[] {
  return definitions.flatMap((definition) => {
    const inner = named(definition.children, names);
    return inner.length === 0 && definition.names.some((name) => names.has(name)) ? [definition] : inner;
  });
}

/** Lines shown around one that matters, where no grammar says where a definition ends. */
const LINES_AROUND = 12;
const MAX_HOLDING_LINES = 200;

/** Without a grammar: around the lines that failures name and those that hold a wanted name. */
function aroundLines(lines: readonly string[], { identifiers, lines: failing }: PartsOptions): Span[] {
  const names = namesPattern(identifiers);
  const holding = lines.flatMap((line, index) =>
    identifiers.length > 0 && line.search(names) >= 0 ? [index + 1] : [],
  );
  return [...failing, ...holding.slice(0, MAX_HOLDING_LINES)].map((line) => ({
    start: Math.max(1, line - LINES_AROUND),
    end: Math.min(lines.length, line + LINES_AROUND),
  }));
}

/** Overlapping ones, and those with no more than a blank line between them, become one; the order of weight stays. */
function merged(spans: readonly Span[]): Span[] {
  const kept: Span[] = [];
  for (const span of spans) {
    const other = kept.find(({ start, end }) => span.start <= end + 2 && start <= span.end + 2);
    if (other) {
      other.start = Math.min(other.start, span.start);
      other.end = Math.max(other.end, span.end);
    } else kept.push({ ...span });
  }
  return kept;
}

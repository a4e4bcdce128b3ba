/** Renders a file: whole, or its relevant definitions with line numbers and an outline of the rest. */
import {
  definitionsOf,
  outlineOf,
  flattenDefinitions,
  type Definition,
} from '../../parsing/definitions/index.ts';
import { formatCodeBlock } from '../../base/values/fenced.ts';
import { fitLines, shorten } from '../../base/values/shortening.ts';
import { innermostAt } from './failing-code.ts';
import { namesPattern } from './find-identifiers.ts';
import { fenceLanguage } from '../../parsing/definitions/languages.ts';

/** Maximum lines of a definition; of a longer one the beginning is shown. */
const MAX_DEFINITION_LINES = 160;
const MAX_OUTLINE_LINES = 80;
/** Share of the budget for the outline. */
const OUTLINE_SHARE = 0.15;
const MAX_LINE_CHARS = 240;

export interface PartsOptions {
  path: string;
  text: string;
  identifiers: readonly string[];
  /** Lines that failures name. */
  lines: readonly number[];
  /** Names of definitions that get the rest of the budget first. */
  related: ReadonlySet<string>;
  maxChars: number;
}

export function wholeFile(path: string, text: string): string {
  return `${pathLine(path)}\n${formatCodeBlock(text, fenceLanguage(path))}`;
}

/** Replaces control characters, so that a path cannot pose as another line. */
const pathLine = (path: string): string => path.replaceAll(/\p{Cc}/gu, '?');

interface Span {
  start: number;
  end: number;
}

/** Renders the relevant parts of a file; undefined if there are none and it has no outline. */
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
    return `Lines ${start} to ${end}:\n${formatCodeBlock(body, fenceLanguage(path))}`;
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
  const kept = fitLines(rest.slice(0, MAX_OUTLINE_LINES).map(cut), room - 60);
  if (parts.length === 0 && kept.length === 0) return undefined;
  const names = kept.length > 0 ? [`Outline (line numbers):\n${kept.join('\n')}`] : [];
  return [`${pathLine(path)} (${lines.length} lines, in parts)`, ...parts, ...names].join('\n');
}

const cut = (line: string): string => shorten(line, MAX_LINE_CHARS);

/** Returns the innermost definitions with a wanted name or line, in order of weight: failing lines first. */
function fromDefinitions(definitions: readonly Definition[], { identifiers, lines }: PartsOptions): Span[] {
  const holding = lines.flatMap((line) => innermostAt(definitions, line) ?? []);
  const names = new Set(identifiers);
  return [...holding, ...named(definitions, names)].map(({ startLine, endLine }) => ({
    start: startLine,
    end: endLine,
  }));
}

/**
 * Returns all definitions, the related ones first, since an outline alone does not show what to change. The members of a definition
 * that is too large follow singly.
 */
function others(definitions: readonly Definition[], { related }: PartsOptions): Span[] {
  const all = flattenDefinitions(definitions);
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

/** Lines shown around a relevant one if there is no grammar. */
const LINES_AROUND = 12;
const MAX_HOLDING_LINES = 200;

/** Returns the lines around failing lines and wanted names, for files without a grammar. */
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

/** Merges spans that overlap or have at most a blank line between them, in the order of weight. */
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

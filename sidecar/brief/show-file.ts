/** One file as it is shown: whole, or the definitions that matter with line numbers and an outline of the rest. */
import { definitionsOf, outlineOf, withNested, type Definition } from '../definitions/index.ts';
import { fenced } from '../values/fenced.ts';
import { linesWithin, shorten } from '../values/shortening.ts';
import { innermostAt } from './failing-code.ts';
import { isDefinition, namesPattern } from './find-identifiers.ts';
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
  const wanted = definitions ? fromDefinitions(definitions, options) : fromLines(lines, options);
  const outline = (definitions && (await outlineOf(path, text))) ?? lineOutline(lines);
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

/** Without a grammar: from the line that defines a name to the next line that is indented no deeper. */
function fromLines(lines: readonly string[], { identifiers, lines: failing, text }: PartsOptions): Span[] {
  const starts = failing.flatMap((line) => headAbove(lines, line) ?? []);
  if (identifiers.length > 0) {
    for (const match of text.matchAll(namesPattern(identifiers))) {
      if (starts.length > 200) break;
      if (isDefinition(text, match.index, match[0]))
        starts.push(text.slice(0, match.index).split('\n').length);
    }
  }
  return starts.map((start) => ({ start, end: endBelow(lines, start) }));
}

const HEAD =
  /^\s*(?:export\s+|default\s+|public\s+|private\s+|protected\s+|static\s+|async\s+|pub(?:\(\w+\))?\s+|abstract\s+|final\s+|unsafe\s+)*(?:function|class|def|func|fn|interface|struct|enum|trait|impl|module|namespace|type|const|let|var|defp?|defmodule|sub|record)\b/;

const indentOf = (line: string): number => line.length - line.trimStart().length;

function headAbove(lines: readonly string[], line: number): number | undefined {
  for (let at = Math.min(line, lines.length); at >= Math.max(1, line - MAX_DEFINITION_LINES); at -= 1) {
    const text = lines[at - 1] ?? '';
    if (HEAD.test(text) && (at === line || indentOf(text) < indentOf(lines[line - 1] ?? ''))) return at;
  }
  return undefined;
}

function endBelow(lines: readonly string[], start: number): number {
  const indent = indentOf(lines[start - 1] ?? '');
  for (let at = start + 1; at <= Math.min(lines.length, start + MAX_DEFINITION_LINES); at += 1) {
    const line = lines[at - 1] ?? '';
    if (line.trim() === '' || indentOf(line) > indent) continue;
    // The line that closes it belongs to it; one that opens its body, too.
    if (/^\s*[)\]}]/.test(line)) {
      if (/[{([:]\s*$/.test(line)) continue;
      return at;
    }
    if (/^\s*\{\s*$/.test(line)) continue;
    return lastUsed(lines, at - 1);
  }
  return lastUsed(lines, Math.min(lines.length, start + MAX_DEFINITION_LINES));
}

function lastUsed(lines: readonly string[], line: number): number {
  let last = line;
  while (last > 1 && (lines[last - 1] ?? '').trim() === '') last -= 1;
  return last;
}

function lineOutline(lines: readonly string[]): string[] {
  return lines.flatMap((line, index) =>
    HEAD.test(line) && indentOf(line) <= 4 ? [`${index + 1} ${line.trimEnd()}`] : [],
  );
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

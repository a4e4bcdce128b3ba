/** Renders a file: either the whole text, or the relevant definitions with line numbers and an outline of the rest. */
import {
  definitionsOf,
  outlineOf,
  flattenDefinitions,
  type Definition,
} from '../../parsing/definitions/index.ts';
import { formatCodeBlock } from '../../base/values/code-block.ts';
import { fitLines, shorten } from '../../base/values/shortening.ts';
import { findInnermost } from './failing-code.ts';
import { buildNamesPattern } from './find-identifiers.ts';
import { fenceLanguageOf } from '../../parsing/definitions/languages.ts';

/** Maximum number of lines of a definition; of a longer one only the beginning is shown. */
const MAX_DEFINITION_LINES = 160;
const MAX_OUTLINE_LINES = 80;
/** Share of the budget for the outline. */
const OUTLINE_SHARE = 0.15;
const MAX_LINE_CHARS = 240;

export interface FilePartsOptions {
  path: string;
  text: string;
  identifiers: readonly string[];
  /** Numbers of the lines that failures mention. */
  lines: readonly number[];
  /** Names whose definitions get the remaining budget first. */
  related: ReadonlySet<string>;
  maxChars: number;
}

export function renderWholeFile(path: string, text: string): string {
  return `${formatPath(path)}\n${formatCodeBlock(text, fenceLanguageOf(path))}`;
}

/** Replaces control characters, so that a path cannot look like several lines. */
const formatPath = (path: string): string => path.replaceAll(/\p{Cc}/gu, '?');

interface LineSpan {
  start: number;
  end: number;
}

/** Renders the relevant parts of a file. Returns undefined if there are none and the file has no outline. */
export async function renderFileParts(options: FilePartsOptions): Promise<string | undefined> {
  const { path, text, maxChars } = options;
  const lines = text.split('\n');
  const definitions = await definitionsOf(path, text);
  const wantedSpans = definitions
    ? selectDefinitions(definitions, options)
    : selectLinesAround(lines, options);
  const outline = (definitions && (await outlineOf(path, text))) ?? [];
  const chosenSpans: LineSpan[] = [];
  let leftChars = maxChars - path.length - 100;
  const renderSpan = ({ start, end }: LineSpan): string => {
    const body = lines
      .slice(start - 1, end)
      .map(cutLine)
      .join('\n');
    return `Lines ${start} to ${end}:\n${formatCodeBlock(body, fenceLanguageOf(path))}`;
  };
  const addSpan = (span: LineSpan, reservedChars = 0): void => {
    const { start } = span;
    const end = Math.min(span.end, start + MAX_DEFINITION_LINES - 1);
    const cost = renderSpan({ start, end }).length + 1;
    const isShownAlready = chosenSpans.some((other) => start <= other.end && other.start <= end);
    if (cost > leftChars - reservedChars || isShownAlready) return;
    leftChars -= cost;
    chosenSpans.push({ start, end });
  };
  for (const span of mergeSpans(wantedSpans)) addSpan(span);
  for (const span of listOtherSpans(definitions ?? [], options)) addSpan(span, maxChars * OUTLINE_SHARE);
  const shownSpans = mergeSpans(chosenSpans);
  const parts = shownSpans.map(renderSpan);
  const isShown = (line: number): boolean =>
    shownSpans.some(({ start, end }) => start <= line && line <= end);
  const outlineRest = outline.filter((line) => !isShown(Number.parseInt(line, 10)));
  const outlineLines = fitLines(outlineRest.slice(0, MAX_OUTLINE_LINES).map(cutLine), leftChars - 60);
  if (parts.length === 0 && outlineLines.length === 0) return undefined;
  const outlineText = outlineLines.length > 0 ? [`Outline (line numbers):\n${outlineLines.join('\n')}`] : [];
  return [`${formatPath(path)} (${lines.length} lines, in parts)`, ...parts, ...outlineText].join('\n');
}

const cutLine = (line: string): string => shorten(line, MAX_LINE_CHARS);

/** Returns the innermost definitions that contain a failing line or have a wanted name, in this order. */
function selectDefinitions(
  definitions: readonly Definition[],
  { identifiers, lines }: FilePartsOptions,
): LineSpan[] {
  const failingDefinitions = lines.flatMap((line) => findInnermost(definitions, line) ?? []);
  const names = new Set(identifiers);
  return [...failingDefinitions, ...findNamedDefinitions(definitions, names)].map(
    ({ startLine, endLine }) => ({
      start: startLine,
      end: endLine,
    }),
  );
}

/**
 * Returns all definitions, related ones first, since an outline alone does not show the code to change. Members of a definition also follow
 * as separate spans, in case the whole definition is too large.
 */
function listOtherSpans(definitions: readonly Definition[], { related }: FilePartsOptions): LineSpan[] {
  const all = flattenDefinitions(definitions);
  const isRelated = ({ names }: Definition): boolean => names.some((name) => related.has(name));
  return [...all.filter(isRelated), ...all.filter((definition) => !isRelated(definition))].map(
    ({ startLine, endLine }) => ({ start: startLine, end: endLine }),
  );
}

function findNamedDefinitions(definitions: readonly Definition[], names: ReadonlySet<string>): Definition[] {
  return definitions.flatMap((definition) => {
    const innerDefinitions = findNamedDefinitions(definition.children, names);
    return innerDefinitions.length === 0 && definition.names.some((name) => names.has(name))
      ? [definition]
      : innerDefinitions;
  });
}

/** Number of lines that are shown before and after a relevant line if there is no grammar. */
const LINES_AROUND = 12;
const MAX_ENCLOSING_LINES = 200;

/** Returns the lines around failing lines and around wanted names, for files without a grammar. */
function selectLinesAround(
  lines: readonly string[],
  { identifiers, lines: failing }: FilePartsOptions,
): LineSpan[] {
  const names = buildNamesPattern(identifiers);
  const namedLines = lines.flatMap((line, index) =>
    identifiers.length > 0 && line.search(names) >= 0 ? [index + 1] : [],
  );
  return [...failing, ...namedLines.slice(0, MAX_ENCLOSING_LINES)].map((line) => ({
    start: Math.max(1, line - LINES_AROUND),
    end: Math.min(lines.length, line + LINES_AROUND),
  }));
}

/** Merges spans that overlap or have at most one blank line between them. The order remains. */
function mergeSpans(spans: readonly LineSpan[]): LineSpan[] {
  const mergedSpans: LineSpan[] = [];
  for (const span of spans) {
    const other = mergedSpans.find(({ start, end }) => span.start <= end + 2 && start <= span.end + 2);
    if (other) {
      other.start = Math.min(other.start, span.start);
      other.end = Math.max(other.end, span.end);
    } else mergedSpans.push({ ...span });
  }
  return mergedSpans;
}

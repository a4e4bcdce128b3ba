/**
 * The sections of a plan document, each from its lines. Entries begin with a mark (checkbox, `###`,
 * bold label) at the start of a line; every other line belongs to the text before it, so that nothing is lost.
 */
import { isNothing, isPlaceholder } from './placeholders.ts';
import type { PlanCriterion, PlanDecision, PlanLogEntry } from './plan.ts';
import { lastUnguarded, splitList } from './plan-text.ts';

/** Says what in the document cannot be understood; caught by `parsePlan`. */
export class PlanFormatError extends Error {}

export interface ReadContext {
  decode: (encoded: string) => string;
  /** For entries that have no time. */
  defaultTimeMs: number;
}

/** The goal; undefined where there is none but a placeholder. */
export function readGoal(lines: readonly string[] | undefined, { decode }: ReadContext): string | undefined {
  const text = (lines ?? []).map((line) => line.trim());
  const [only, ...others] = text.filter((line) => line !== '');
  if (only === undefined || (others.length === 0 && isPlaceholder(only))) return undefined;
  return decodeLines(text, decode);
}

/** Lines without the empty ones at both ends, each decoded by itself. */
function decodeLines(lines: readonly string[], decode: ReadContext['decode']): string {
  const trimmed = lines.map((line) => line.trim());
  const first = trimmed.findIndex((line) => line !== '');
  const last = trimmed.findLastIndex((line) => line !== '');
  return trimmed
    .slice(first, last + 1)
    .map((line) => decode(line))
    .join('\n');
}

/** Lines from one mark to the next; what stands before the first is an error unless it says "nothing". */
interface Entry {
  done?: boolean;
  heading: string;
  lines: string[];
}
function splitEntries(lines: readonly string[], startOf: (line: string) => Entry | undefined): Entry[] {
  const entries: Entry[] = [];
  for (const line of lines) {
    const start = startOf(line);
    const last = entries.at(-1);
    if (start) entries.push(start);
    else if (last) last.lines.push(line);
    else if (!isNothing(line.trim()))
      throw new PlanFormatError(`text without a place: "${line.trim().slice(0, 80)}"`);
  }
  return entries;
}

const DONE_MARKS = new Set(['x', 'X', '✓', '✔', '☑', '✅']);

/** `- [x] description *(notes)*`; a bullet or number without a box is an open criterion. */
export function readCriteria(lines: readonly string[], { decode }: ReadContext): PlanCriterion[] {
  const entries = splitEntries(lines, (line) => {
    const [, mark, text] = /^(?:[-*+]|\d+[.)])\s+(?:\[([^\]]{0,3})\](?!\()\s*)?(.*)/su.exec(line) ?? [];
    if (text === undefined || (mark === undefined && isNothing(text))) return undefined;
    const done = mark !== undefined && DONE_MARKS.has(mark.replace('\uFE0F', '').trim());
    return { done, heading: '', lines: [text] };
  });
  return entries
    .filter((entry) => !isPlaceholder(entry.lines.join('\n').trim()))
    .map((entry) => readCriterion(entry, decode));
}

function readCriterion({ done = false, lines }: Entry, decode: ReadContext['decode']): PlanCriterion {
  const raw = lines.join('\n').trimEnd();
  const start = raw.endsWith(')*') ? lastUnguarded(raw, '*(') : -1;
  const text = (encoded: string) => decodeLines(encoded.split('\n'), decode);
  if (start < 0) return { description: text(raw), completed: done };
  return { description: text(raw.slice(0, start)), completed: done, notes: text(raw.slice(start + 2, -2)) };
}

const headingOf = (line: string): Entry | undefined => {
  const [whole, heading = ''] = /^###+(?!\S)(.*)/s.exec(line) ?? [];
  return whole === undefined ? undefined : { heading: heading.trim(), lines: [] };
};

export function readDecisions(
  lines: readonly string[],
  { decode, defaultTimeMs }: ReadContext,
): PlanDecision[] {
  return splitEntries(lines, headingOf).map(({ heading, lines: below }) => {
    const fields = readFields(below, DECISION_LABELS, 'rationale');
    const when = fields.when?.join(' ');
    return {
      title: decode(heading),
      rationale: decodeLines(fields.rationale ?? [], decode),
      ...(fields.alternatives ? { alternatives: readList(fields.alternatives, decode) } : {}),
      timestamp: when ? readTime(when, 'a decision') : defaultTimeMs,
    };
  });
}

export function readLog(lines: readonly string[], { decode, defaultTimeMs }: ReadContext): PlanLogEntry[] {
  return splitEntries(lines, headingOf).map(({ heading, lines: below }) => {
    const fields = readFields(below, LOG_LABELS, 'result');
    const [, time, action] = /^(\S+(?:\s\S+)??)\s+[-–—](?:\s+(.*))?$/s.exec(heading) ?? [];
    const timestamp = time === undefined ? undefined : toTimeMs(time);
    return {
      timestamp: timestamp ?? defaultTimeMs,
      action: decode(timestamp === undefined ? heading : (action ?? '')),
      result: decodeLines(fields.result ?? [], decode),
      toolsUsed: readList(fields.tools ?? [], decode),
    };
  });
}

/** Labels as they are written, and the field that each names. */
type Labels = ReadonlyMap<string, string>;
const DECISION_LABELS: Labels = new Map([
  ['rationale', 'rationale'],
  ['reason', 'rationale'],
  ['alternatives considered', 'alternatives'],
  ['alternatives', 'alternatives'],
  ['alternative', 'alternatives'],
  ['decided', 'when'],
  ['rejected', 'when'],
]);
const LOG_LABELS: Labels = new Map([
  ['tools', 'tools'],
  ['tools used', 'tools'],
  ['result', 'result'],
]);

/** Labelled values with their further lines; lines without a known label belong to the one before, or to `otherwise`. */
function readFields(
  lines: readonly string[],
  labels: Labels,
  otherwise: string,
): Record<string, string[] | undefined> {
  const fields: Record<string, string[] | undefined> = {};
  let current: string | undefined;
  for (const line of lines) {
    const [, label = '', value = ''] = /^\*\*([^*:]{1,40}):\*\*\s*(.*)/s.exec(line) ?? [];
    const name = labels.get(label.toLowerCase());
    // A time is one line; text below it would not be read back as a time.
    if (current === 'when') current = otherwise;
    current = name ?? current ?? otherwise;
    (fields[current] ??= []).push(name === undefined ? line : value);
  }
  return fields;
}

/** Separated by commas, or a bullet a line. */
function readList(lines: readonly string[], decode: ReadContext['decode']): string[] {
  const bullets = lines.flatMap((line) => /^\s*[-*]\s+(.*)/s.exec(line)?.[1] ?? []);
  const items = bullets.length > 0 ? bullets : splitList(lines.map((line) => line.trim()).join(' '));
  return items.map((item) => decode(item.trim()));
}

/** An ISO time, `YYYY-MM-DD HH:MM` in UTC, or milliseconds since the epoch. */
export function readTime(text: string, where: string): number {
  const timeMs = toTimeMs(text.trim());
  if (timeMs === undefined)
    throw new PlanFormatError(`the time of ${where} is "${text}"; write it as 2026-01-07T10:23:21.000Z`);
  return timeMs;
}

function toTimeMs(text: string): number | undefined {
  if (/^-?\d{10,16}$/.test(text)) return validTime(Number(text));
  const [, date, time = '00:00'] =
    /^([+-]?\d{4,6}-\d\d-\d\d)(?:[T ](\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?))?\s*(?:Z|UTC)?$/i.exec(text) ?? [];
  if (date !== undefined) return validTime(Date.parse(`${date}T${time}Z`));
  const zoned = /^[+-]?\d{4,6}-\d\d-\d\dT[\d:.]+[+-]\d\d:\d\d$/.test(text);
  return zoned ? validTime(Date.parse(text)) : undefined;
}
const validTime = (timeMs: number) => (Number.isNaN(new Date(timeMs).getTime()) ? undefined : timeMs);

/**
 * What one row of the table of formats is made of: an opening mark, readers of
 * the body that are tried in order, and the marks that may close it.
 */
import type { KnownTools } from '../known-tools.ts';
import type { RawCall } from '../result.ts';
import type { Source } from '../source.ts';

export interface Format {
  /** Name for logs and metrics; a reader may give a more exact one. */
  family: string;
  open: string;
  /** Any of these ends the block; a missing one is forgiven when the body is complete. */
  close: readonly string[];
  /** The first one that recognises the body wins; when none does, the mark was prose. */
  readers: readonly BodyReader[];
  /** The opening mark is the first part of the body, so the readers start at it. */
  readsMark?: true;
  /** Only brackets around other rows' blocks: not prose, even when no reader takes it. */
  wrapper?: true;
}

export interface ReadContext {
  source: Source;
  tools: KnownTools;
}

/** A recognised body: its calls, or the problem that makes the answer malformed, and where it ends. */
export interface Reading {
  calls: RawCall[];
  end: number;
  family?: string;
  problem?: string;
  /** Marks that close parts of the body: one that stands behind the block says that it ended too early. */
  closers?: readonly string[];
}

/** Reads the body that starts at `at`; undefined when it is not in this reader's form. Never throws. */
export type BodyReader = (context: ReadContext, at: number, format: Format) => Reading | undefined;

/** The one of `marks` that stands at `at`. */
export function markAt(source: Source, marks: readonly string[], at: number): string | undefined {
  return marks.find((mark) => source.text.startsWith(mark, at));
}

/** Where a tool's name that starts at `at` ends; `at` itself when there is none. Names are at most 128 long. */
export function nameEnd(text: string, at: number): number {
  let end = at;
  while (end - at < 128 && isNameCode(text.charCodeAt(end))) end += 1;
  return end;
}

function isNameCode(code: number): boolean {
  return (
    (code >= 97 && code <= 122) ||
    (code >= 65 && code <= 90) ||
    (code >= 48 && code <= 57) ||
    code === 95 ||
    code === 45 ||
    code === 46 ||
    // Letters of other scripts, but not typographic marks and full-width forms.
    (code >= 0xc0 && code < 0xff00 && (code < 0x2000 || code > 0x2e7f))
  );
}

/** A name without the prefix that some templates put before it. */
export function bareName(name: string): string {
  return name.trim().replace(/^(functions|tools|default_api)[.:]/, '');
}

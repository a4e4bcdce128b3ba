/**
 * Reads and applies patches (v4a, unified diffs, hunks without a header), lines with diff signs, and search
 * and replace.
 */
import { editText } from '../editing/edit-text.ts';
import { locateChunks } from '../editing/patch-locate.ts';
import { parsePatch, type PatchOperation } from '../editing/patch-parser.ts';
import { applyLineChanges } from '../editing/patch-plan.ts';
import type { SearchReplace } from '../editing/search-replace.ts';
import { TextDocument } from '../editing/text-document.ts';

/** Changed text, or the reason why the change does not fit the file. */
export type ChangeOutcome = { text: string } | { reason: string };

const PATCH_MARK =
  /^(?:\*\*\* (?:Begin Patch|Update File:|Add File:|Delete File:)|@@ .*@@|--- .+\n\+\+\+ .+)/mu;
/** Matches lines that name the file of a patch or a place in the file. */
const DIFF_HEADER = /^(?:@@|diff |index |--- |\+\+\+ |\*\*\* )/u;

export const looksLikePatch = (text: string): boolean => PATCH_MARK.test(text);

export const looksLikeSearchReplace = (text: string): boolean =>
  /^<{5,9} {0,4}(?:SEARCH|ORIGINAL|HEAD|OLD)?[ \t]*\r?$/im.test(text) && /^>{5,9}/m.test(text);

/** Returns whether a block has removed lines but no line that names a file or a place. */
export function looksLikeLineDiff(info: string, text: string): boolean {
  const lines = text.split('\n');
  return (
    /^(?:diff|patch)\b/iu.test(info) &&
    lines.some((line) => line.startsWith('-')) &&
    !lines.some((line) => DIFF_HEADER.test(line))
  );
}

/** Returns the operations of a patch. `path`: file to which hunks apply that name no file. */
export function readPatch(text: string, path: string | undefined): PatchOperation[] | { reason: string } {
  const plain = text.trim();
  const hasHeader = /^(\*\*\* |--- |diff |Index: )/m.test(plain);
  if (!hasHeader && path === undefined) return { reason: 'the patch names no file' };
  const body = hasHeader ? plain : `*** Update File: ${path ?? ''}\n${plain}`;
  const isEnveloped = plain.startsWith('*** Begin Patch') || !body.startsWith('*** ');
  const parsed = parsePatch(isEnveloped ? body : `*** Begin Patch\n${body}\n*** End Patch`);
  return parsed.ok ? parsed.operations : { reason: parsed.message };
}

/** Pairs each run of removed lines with the lines added after it. Added lines without removed ones have no place and are ignored. */
export function readLineDiff(text: string): Pick<SearchReplace, 'search' | 'replace'>[] {
  const changes: { removed: string[]; added: string[] }[] = [];
  let isOpen = false;
  for (const line of text.split('\n')) {
    const last = changes.at(-1);
    if (line.startsWith('-') && isOpen && last?.added.length === 0) last.removed.push(line.slice(1));
    else if (line.startsWith('-')) changes.push({ removed: [line.slice(1)], added: [] });
    else if (line.startsWith('+') && isOpen) last?.added.push(line.slice(1));
    isOpen = line.startsWith('-') || (isOpen && line.startsWith('+'));
  }
  return changes.map(({ removed, added }) => ({ search: removed.join('\n'), replace: added.join('\n') }));
}

export function applyUpdate(text: string, { chunks }: PatchOperation & { type: 'update' }): ChangeOutcome {
  const document = new TextDocument(text);
  const located = locateChunks(document, chunks);
  return located.ok
    ? { text: applyLineChanges(document, located.listChanges) }
    : { reason: located.message.split('\n')[0] ?? located.message };
}

export function applySearchReplace(
  text: string,
  { search, replace }: Pick<SearchReplace, 'search' | 'replace'>,
): ChangeOutcome {
  if (search.trim() === '') return { reason: 'its search part is empty' };
  const edited = editText(text, { oldString: search, newString: replace, replaceAll: false });
  return edited.ok ? { text: edited.text } : { reason: edited.message.split('\n')[0] ?? edited.message };
}

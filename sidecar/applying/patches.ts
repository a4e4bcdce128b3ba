/** Patches in an answer: v4a, unified diffs, hunks without a header. */
import { locateChunks } from '../tools/editing/patch-locate.ts';
import { parsePatch, type PatchOperation } from '../tools/editing/patch-parser.ts';
import { changedText } from '../tools/editing/patch-plan.ts';
import { TextDocument } from '../tools/editing/text-document.ts';

export const looksLikePatch = (text: string): boolean =>
  /^\*\*\* (Begin Patch|Update File:|Add File:|Delete File:)/m.test(text) ||
  /^--- .+\n\+\+\+ .+/m.test(text) ||
  /^@@ .*@@/m.test(text);

/** The operations of a patch; `path` is the file of hunks that name none. */
export function readPatch(text: string, path: string | undefined): PatchOperation[] | { reason: string } {
  const plain = text.trim();
  const hasHeader = /^(\*\*\* |--- |diff |Index: )/m.test(plain);
  if (!hasHeader && path === undefined) return { reason: 'the patch names no file' };
  const body = hasHeader ? plain : `*** Update File: ${path ?? ''}\n${plain}`;
  const isEnveloped = plain.startsWith('*** Begin Patch') || !body.startsWith('*** ');
  const parsed = parsePatch(isEnveloped ? body : `*** Begin Patch\n${body}\n*** End Patch`);
  return parsed.ok ? parsed.operations : { reason: parsed.message };
}

/** The text after an update, or why it does not fit. */
export function applyUpdate(
  text: string,
  { chunks }: PatchOperation & { type: 'update' },
): { text: string } | { reason: string } {
  const document = new TextDocument(text);
  const located = locateChunks(document, chunks);
  return located.ok
    ? { text: changedText(document, located.changes) }
    : { reason: located.message.split('\n')[0] ?? located.message };
}

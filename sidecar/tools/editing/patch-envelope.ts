/**
 * Removes the wrapping of a v4a patch (white space, code fence, heredoc, command name) and converts a unified diff.
 * Line numbers stay those of the original text, for error messages.
 */
import { TextDocument } from './text-document.ts';
import { convertUnifiedDiff, type PatchLine } from './unified-diff.ts';

/** `body`: the lines between the two markers. */
export type Envelope = { ok: true; body: PatchLine[] } | { ok: false; message: string };

const BEGIN = '*** Begin Patch';
const END = '*** End Patch';
const FENCE = /^(`{3,}|~{3,})[\w-]*$/;
const HEREDOC = /^(?:apply_?patch\s*)?<<-?\s*(['"]?)(\w+)\1$/;
const COMMAND = /^apply_?patch$/;

export function openEnvelope(text: string): Envelope {
  const lines = new TextDocument(text).lines.map((line, index) => ({ number: index + 1, text: line }));
  const inner = unwrap(lines);
  const first = inner[0];
  const last = inner.at(-1);
  if (!first || !last) return fail(1, 'the patch is empty');
  const diff = convertUnifiedDiff(inner);
  if (diff) return { ok: true, body: diff };
  if (first.text.trim() !== BEGIN) return fail(first.number, `the patch must begin with "${BEGIN}"`);
  const end = inner.findIndex((line) => line.text.trimEnd() === END);
  const after = inner[end + 1];
  if (end >= 0 && after) return fail(after.number, `there is text after "${END}"`);
  if (last.text.trim() !== END) return fail(last.number, `the patch must end with "${END}"`);
  const body = inner.slice(1, -1);
  return { ok: true, body: convertUnifiedDiff(body) ?? body };
}

export const fail = (line: number, message: string): { ok: false; message: string } => ({
  ok: false,
  message: `Line ${line} of the patch: ${message}`,
});

/** Removes one layer of wrapping per iteration. */
function unwrap(lines: PatchLine[]): PatchLine[] {
  let inner = trimBlankEnds(lines);
  for (;;) {
    const first = inner[0]?.text.trim() ?? '';
    const last = inner.at(-1)?.text.trim() ?? '';
    const closing = closingOf(first);
    if (closing === undefined) return inner;
    const closed = closing !== '' && last === closing && inner.length > 1;
    inner = trimBlankEnds(inner.slice(1, closed ? -1 : undefined));
  }
}

/** Returns the closing line of the layer that `line` opens: empty if it has none, undefined if it opens no layer. */
function closingOf(line: string): string | undefined {
  if (COMMAND.test(line)) return '';
  return FENCE.exec(line)?.[1] ?? HEREDOC.exec(line)?.[2];
}

function trimBlankEnds(lines: PatchLine[]): PatchLine[] {
  const start = lines.findIndex((line) => line.text.trim() !== '');
  if (start < 0) return [];
  const end = lines.findLastIndex((line) => line.text.trim() !== '');
  return lines.slice(start, end + 1);
}

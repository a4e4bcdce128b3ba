/** The two sides of a merge: a file and a block of code that goes into it. Works on plain line feeds. */
import type { SourceFile, SourceItem } from '../definitions/index.ts';
import type { TextEdits } from '../values/text-edits.ts';
import type { CodeBlock } from './code-block.ts';

export interface Sides {
  path: string;
  file: SourceFile;
  /** The file's. */
  text: string;
  block: CodeBlock;
  /** The changes of the file so far. */
  edits: TextEdits;
  /** Whether a part stands in the file. */
  isOld: (part: string) => boolean;
}

/** Statements that stay in front of all others. */
export const comesFirst = (item: SourceItem, text: string): boolean =>
  item.type === 'statement'
    ? item.role === 'package' || item.role === 'documentation' || /^['"]use /u.test(text.slice(item.start))
    : item.type === 'comment' && item.start === 0;

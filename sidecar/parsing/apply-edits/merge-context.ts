/** Defines both sides of a merge: a file, and the code block to merge into it. Line ends are plain line feeds. */
import type { SourceFile, SourceItem } from '../definitions/index.ts';
import type { TextEdits } from './text-edits.ts';
import type { CodeBlock } from './code-block.ts';

export interface MergeContext {
  path: string;
  file: SourceFile;
  /** Text of the file. */
  text: string;
  block: CodeBlock;
  edits: TextEdits;
}

/** Returns whether an item must remain before all other items. */
export const mustComeFirst = (item: SourceItem, text: string): boolean =>
  item.type === 'statement'
    ? item.role === 'package' || item.role === 'documentation' || /^['"]use /u.test(text.slice(item.start))
    : item.type === 'comment' && item.start === 0;

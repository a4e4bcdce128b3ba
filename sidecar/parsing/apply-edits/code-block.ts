/**
 * Parses a block of code in several ways and returns the result with the fewest syntax errors: as definitions, as members without their
 * class, as PHP without its tag, as code with diff signs.
 */
import type { Language } from '../definitions/languages.ts';
import { readSource } from '../definitions/source-file.ts';
import type { SourceFile, SourceItem } from '../definitions/types.ts';
import { indentOf } from '../editing/folding.ts';
import { countSharedStart } from '../../base/values/shared-ends.ts';

export interface CodeBlock {
  /** Text that was parsed: the block, possibly inside a wrapper. The offsets of `items` refer to it. */
  text: string;
  source: SourceFile;
  items: readonly SourceItem[];
  /** Whether the items are members that were given without their class or object. */
  areMembers: boolean;
}

const WRAPPER_NAME = '__Members__';
const BRACED_LANGUAGES: ReadonlySet<Language> = new Set([
  'javascript',
  'typescript',
  'tsx',
  'java',
  'csharp',
  'php',
  'cpp',
]);

/** Parses a block of code. Returns undefined if the block is too long. */
export async function readCode(language: Language, raw: string): Promise<CodeBlock | undefined> {
  let bestBlock: CodeBlock | undefined;
  for (const variant of listVariants(language, raw)) {
    const source = await readSource(language, variant.text);
    if (!source) continue;
    const items = variant.isWrapped ? listMembers(source) : source.items;
    if (variant.isWrapped && !items.some((item) => item.type === 'definition')) continue;
    const isBetter = !bestBlock || source.problems.length < bestBlock.source.problems.length;
    if (isBetter || (source.problems.length === 0 && !bestBlock?.items.some(isMeaningful)))
      bestBlock = { text: variant.text, source, items, areMembers: variant.isWrapped };
    // A field that was given without its class also parses as a statement.
    if (
      bestBlock?.source.problems.length === 0 &&
      (bestBlock.items.some(isMeaningful) || language !== 'java')
    )
      break;
  }
  return bestBlock;
}

const isMeaningful = ({ type }: SourceItem): boolean => type === 'definition' || type === 'import';

function* listVariants(language: Language, raw: string): Generator<{ text: string; isWrapped: boolean }> {
  const unsigned = removeDiffSigns(raw);
  const texts = [dedent(raw)];
  // In some languages, lines with diff signs are valid code. If all other lines are indented by one space, the signs are those of a diff.
  if (unsigned?.isShifted) texts.unshift(dedent(unsigned.text));
  else if (unsigned) texts.push(dedent(unsigned.text));
  const tag = language === 'php' && !texts.some((text) => text.includes('<?')) ? '<?php\n' : '';
  const isBraced = BRACED_LANGUAGES.has(language);
  const wrappers = [['', '']];
  if (isBraced) wrappers.push([`class ${WRAPPER_NAME} {\n`, `\n}${language === 'cpp' ? ';' : ''}`]);
  // The block may contain the closing bracket of the class after a method.
  const shortenedTexts = isBraced ? texts.flatMap((text) => removeLastBracket(text) ?? []) : [];
  for (const variantTexts of [texts, shortenedTexts])
    for (const [open = '', close = ''] of wrappers)
      for (const text of variantTexts) yield { text: tag + open + text + close, isWrapped: open !== '' };
}

function removeLastBracket(text: string): string | undefined {
  const shorter = text.replace(/\n[ \t]*\}[;,]?\s*$/, '');
  return shorter === text ? undefined : shorter;
}

function listMembers(source: SourceFile): readonly SourceItem[] {
  const wrapper = source.definitions.find(({ name }) => name === WRAPPER_NAME);
  return wrapper?.items ?? [];
}

/** Removes the indentation that all lines share. */
function dedent(text: string): string {
  const lines = text.split('\n');
  const indents = lines.filter((line) => line.trim() !== '').map(indentOf);
  const [first = ''] = indents;
  const width = Math.min(...new Set(indents.map((indent) => countSharedStart(indent, first))), first.length);
  return lines.map((line) => line.slice(Math.min(width, indentOf(line).length))).join('\n');
}

/** Returns the new text of code with diff signs; undefined if no line has a sign. */
function removeDiffSigns(text: string): { text: string; isShifted: boolean } | undefined {
  const lines = text.split('\n');
  const filled = lines.filter((line) => line.trim() !== '' && !line.startsWith('@@'));
  const unsignedLines = filled.filter((line) => !/^[+-]/.test(line));
  if (unsignedLines.length === filled.length) return undefined;
  const isShifted = unsignedLines.length > 0 && unsignedLines.every((line) => line.startsWith(' '));
  const newLines = lines
    .filter((line) => !line.startsWith('-') && !line.startsWith('@@'))
    .map((line) => (isShifted || line.startsWith('+') ? line.slice(1) : line));
  return { text: newLines.join('\n'), isShifted };
}

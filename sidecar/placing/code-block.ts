/**
 * Reads a block of code as what it most likely is: definitions, members without their class, members of an object, PHP
 * without its tag, code with the signs of a diff. The reading with the fewest syntax errors is taken.
 */
import type { Language } from '../definitions/languages.ts';
import { readSource } from '../definitions/source-file.ts';
import type { SourceFile, SourceItem } from '../definitions/types.ts';
import { withMarksAsComments } from './marks.ts';

export interface CodeBlock {
  /** What was read: the block in its wrapper. Offsets of `items` are into it. */
  text: string;
  source: SourceFile;
  items: readonly SourceItem[];
  /** Members that were given without their class or object. */
  areMembers: boolean;
}

interface Variant {
  text: string;
  wrapped: boolean;
}

const WRAPPER = '__Members__';
const BRACED: ReadonlySet<Language> = new Set([
  'javascript',
  'typescript',
  'tsx',
  'java',
  'csharp',
  'php',
  'cpp',
]);

/** Undefined when it is too long to read. */
export async function readCode(language: Language, raw: string): Promise<CodeBlock | undefined> {
  let best: CodeBlock | undefined;
  for (const variant of variants(language, raw)) {
    const source = await readSource(language, variant.text);
    if (!source) continue;
    const items = variant.wrapped ? membersIn(source) : source.items;
    if (variant.wrapped && !items.some((item) => item.type === 'definition')) continue;
    if (!best || source.problems.length < best.source.problems.length)
      best = { text: variant.text, source, items, areMembers: variant.wrapped };
    if (best.source.problems.length === 0) break;
  }
  return best;
}

function* variants(language: Language, raw: string): Generator<Variant> {
  const comment = language === 'python' || language === 'ruby' || language === 'bash' ? '#' : '//';
  const texts = [dedented(language === 'python' ? raw : withMarksAsComments(raw, comment))];
  const [text = ''] = texts;
  const unsigned = withoutDiffSigns(raw);
  if (unsigned !== undefined) texts.push(dedented(withMarksAsComments(unsigned, comment)));
  const tag = language === 'php' && !text.includes('<?') ? '<?php\n' : '';
  for (const each of texts) yield { text: tag + each, wrapped: false };
  if (!BRACED.has(language)) return;
  for (const each of texts)
    yield {
      text: `${tag}class ${WRAPPER} {\n${each}\n};`.replace(/;$/, language === 'cpp' ? ';' : ''),
      wrapped: true,
    };
  if (language === 'javascript' || language === 'typescript' || language === 'tsx')
    for (const each of texts) yield { text: `const ${WRAPPER} = {\n${each}\n};`, wrapped: true };
}

function membersIn(source: SourceFile): readonly SourceItem[] {
  const wrapper = source.definitions.find(({ name }) => name === WRAPPER);
  return wrapper?.items ?? [];
}

/** Without the indentation that all lines share. */
function dedented(text: string): string {
  const lines = text.split('\n');
  let common: string | undefined;
  for (const line of lines) {
    if (line.trim() === '') continue;
    const indent = /^[ \t]*/.exec(line)?.[0] ?? '';
    if (common === undefined) common = indent;
    while (!indent.startsWith(common)) common = common.slice(0, -1);
    if (common === '') return text;
  }
  const width = common?.length ?? 0;
  return lines.map((line) => line.slice(Math.min(width, /^[ \t]*/.exec(line)?.[0].length ?? 0))).join('\n');
}

/** The new side of code whose lines carry the signs of a diff; undefined when they do not. */
export function withoutDiffSigns(text: string): string | undefined {
  const lines = text.split('\n');
  const told = lines.filter((line) => line.trim() !== '');
  const signed = told.filter((line) => /^[+-]/.test(line));
  if (signed.length === 0) return undefined;
  const rest = told.filter((line) => !/^[+-]/.test(line));
  const isShifted = rest.length > 0 && rest.every((line) => line.startsWith(' ') || line.startsWith('@@'));
  return lines
    .filter((line) => !line.startsWith('-') && !line.startsWith('@@'))
    .map((line) => (line.startsWith('+') ? line.slice(1) : isShifted ? line.slice(1) : line))
    .join('\n');
}

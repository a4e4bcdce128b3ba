/** Whether a block is the whole of a file: nothing that the file has is missing from it. */
import type { Definition, SourceFile } from '../definitions/index.ts';
import type { CodeBlock } from './code-block.ts';
import { unitOf } from './indentation.ts';
import { isOfItself } from './import-edits.ts';
import { readImport } from './imports.ts';
import { hasMark } from './marks.ts';
import { whyNotNew } from './new-definitions.ts';
import { PRINTS } from './statements.ts';
import { isUsed, partsOf } from './texts.ts';

interface Sides {
  path: string;
  file: SourceFile;
  /** The file's. */
  text: string;
  block: CodeBlock;
  /** Whether a part stands in the file, in the block. */
  isOld: (part: string) => boolean;
  isGiven: (part: string) => boolean;
}

/** Everything that the file defines, imports, exports, does and says outside of its functions is in the block. */
export function isWholeFile(path: string, file: SourceFile, text: string, block: CodeBlock): boolean {
  if (block.areMembers || hasMark(block.text) || block.source.problems.length > file.problems.length)
    return false;
  if (unitOf(text, file.definitions)?.text !== unitOf(block.text, block.source.definitions)?.text)
    return false;
  const sides = { path, file, text, block, isOld: partsOf(text), isGiven: partsOf(block.text) };
  return (
    holdsAll(file.definitions, block.source.definitions, sides) &&
    keepsTheRest(sides) &&
    !bringsExamples(sides) &&
    !importsNeedlessly(sides)
  );
}

/** Imports, statements and comments. A statement that is not there any more has become another of its kind. */
function keepsTheRest({ file, text, block, isOld, isGiven }: Sides): boolean {
  const fresh = block.items.flatMap((item) => {
    const given = item.type === 'statement' ? block.text.slice(item.start, item.end) : undefined;
    return given === undefined || isOld(given) ? [] : [headOf(given)];
  });
  return file.items.every((item) => {
    if (item.type === 'definition' || isGiven(text.slice(item.start, item.end))) return true;
    const at = item.type === 'statement' ? fresh.indexOf(headOf(text.slice(item.start, item.end))) : -1;
    if (at >= 0) fresh.splice(at, 1);
    return at >= 0;
  });
}

/** What a statement begins with: a keyword, or what is called. */
const headOf = (statement: string): string => /^[\w.$]+/.exec(statement.trim())?.[0] ?? '';

/** Imports that are new and that nothing uses: they may not even exist. */
function importsNeedlessly({ path, block, isOld }: Sides): boolean {
  return block.items.some((item) => {
    if (item.type !== 'import') return false;
    const given = block.text.slice(item.start, item.end);
    if (isOld(given)) return false;
    const rest = block.text.slice(0, item.start) + block.text.slice(item.end);
    return readImport(block.source.language, given).some(
      (line) =>
        isOfItself(line, path) || (line.names.length > 0 && !line.names.some((name) => isUsed(rest, name))),
    );
  });
}

const PRINTS_WITHIN = new RegExp(`^\\s*${PRINTS.source.slice(1)}`, 'm');

/** Tests, and calls that the file has not: of what prints where the file does not print itself, or in a file that calls nothing. */
function bringsExamples({ path, file, text, block, isOld }: Sides): boolean {
  const statements = file.items.flatMap((item) =>
    item.type === 'statement' && item.role !== 'exports' ? [item] : [],
  );
  const isScript =
    file.language === 'bash' ||
    statements.some(({ role, start, end }) => role !== 'main' && PRINTS_WITHIN.test(text.slice(start, end)));
  const known = new Set(file.definitions.flatMap(({ names }) => names));
  return block.items.some((item) => {
    if (item.type === 'definition')
      return (
        !known.has(item.definition.name) &&
        whyNotNew(item.definition, { path, file, block, isOld })?.kind === 'example'
      );
    if (item.type !== 'statement' || (item.role !== 'call' && item.role !== 'main')) return false;
    const given = block.text.slice(item.start, item.end);
    return !isOld(given) && (statements.length === 0 || (!isScript && PRINTS.test(given)));
  });
}

/** Members too; comments above a definition count as part of it. */
function holdsAll(old: readonly Definition[], given: readonly Definition[], sides: Sides): boolean {
  const [ofOld, ofGiven] = [byName(old), byName(given)];
  return old.every((definition) => {
    const key = keyOf(definition);
    const same = (ofGiven.get(key) ?? []).filter(({ form }) => form === definition.form);
    const [first] = same;
    if (!first || same.length < (ofOld.get(key)?.length ?? 0)) return false;
    if (!sides.isGiven(sides.text.slice(definition.start, definition.decoratorsStart))) return false;
    if (definition.exportStart < definition.bareStart && first.exportStart === first.bareStart) return false;
    if (definition.decoratorsStart < definition.exportStart && first.decoratorsStart === first.exportStart)
      return false;
    const nested = first.children.map(({ name }) => name);
    if (definition.items.length === 0) return definition.children.every(({ name }) => nested.includes(name));
    return same.some((each) => holdsAll(definition.children, each.children, sides));
  });
}

const keyOf = ({ names, container, variant }: Definition): string =>
  JSON.stringify([names, container, variant]);

function byName(definitions: readonly Definition[]): Map<string, Definition[]> {
  const found = new Map<string, Definition[]>();
  for (const each of definitions) {
    const same = found.get(keyOf(each));
    if (same) same.push(each);
    else found.set(keyOf(each), [each]);
  }
  return found;
}

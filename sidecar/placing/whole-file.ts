/** Whether a block is the whole of a file: nothing that the file has is missing from it. */
import type { Definition, SourceFile } from '../definitions/index.ts';
import type { CodeBlock } from './code-block.ts';
import { unitOf } from './indentation.ts';
import { isOfItself } from './import-edits.ts';
import { readImport } from './imports.ts';
import { hasMark } from './marks.ts';
import { folded, isUsed } from './texts.ts';

/** Everything that the file defines, imports, exports, does and says outside of its functions is in the block. */
export function isWholeFile(path: string, file: SourceFile, text: string, block: CodeBlock): boolean {
  if (block.areMembers || hasMark(block.text) || block.source.problems.length > file.problems.length)
    return false;
  if (unitOf(text, file.definitions)?.text !== unitOf(block.text, block.source.definitions)?.text)
    return false;
  if (!holdsAll(file.definitions, block.source.definitions, text, block.text)) return false;
  const given = folded(block.text);
  const isThere = (part: string): boolean => given.includes(folded(part));
  const fresh = block.items.flatMap((item) =>
    item.type === 'statement' && !folded(text).includes(folded(block.text.slice(item.start, item.end)))
      ? [headOf(block.text.slice(item.start, item.end))]
      : [],
  );
  const isKept = file.items.every((item) => {
    if (item.type === 'definition' || isThere(text.slice(item.start, item.end))) return true;
    // A statement that is not there any more has become another of its kind.
    const at = item.type === 'statement' ? fresh.indexOf(headOf(text.slice(item.start, item.end))) : -1;
    if (at >= 0) fresh.splice(at, 1);
    return at >= 0;
  });
  return isKept && !endsWithExamples(file, text, block) && !importsNeedlessly(path, text, block);
}

/** What a statement begins with: a keyword, or what is called. */
const headOf = (statement: string): string => /^[\w.$]+/.exec(statement.trim())?.[0] ?? '';

/** Imports that are new and that nothing uses: they may not even exist. */
function importsNeedlessly(path: string, text: string, block: CodeBlock): boolean {
  return block.items.some((item) => {
    if (item.type !== 'import') return false;
    const given = block.text.slice(item.start, item.end);
    if (folded(text).includes(folded(given))) return false;
    const rest = block.text.slice(0, item.start) + block.text.slice(item.end);
    return readImport(block.source.language, given).some(
      (line) =>
        isOfItself(line, path) || (line.names.length > 0 && !line.names.some((name) => isUsed(rest, name))),
    );
  });
}

const PRINTS = /^(console\.|print|puts|echo|fmt\.Print|System\.out|assert|expect)/;

/** Calls that the file has not: by what prints, or in a file that calls nothing. */
function endsWithExamples(file: SourceFile, text: string, block: CodeBlock): boolean {
  const calls = file.items.some((item) => item.type === 'statement' && item.role !== 'exports');
  const old = folded(text);
  return block.items.some((item) => {
    if (item.type !== 'statement' || (item.role !== 'call' && item.role !== 'main')) return false;
    const given = block.text.slice(item.start, item.end);
    return !old.includes(folded(given)) && (!calls || PRINTS.test(given));
  });
}

/** Members too; comments above a definition count as part of it. */
function holdsAll(
  old: readonly Definition[],
  given: readonly Definition[],
  oldText: string,
  text: string,
): boolean {
  return old.every((definition) => {
    const same = given.filter(
      (each) =>
        each.names.join() === definition.names.join() &&
        each.container === definition.container &&
        each.variant === definition.variant &&
        each.form === definition.form,
    );
    const own = old.filter(
      (each) =>
        each.names.join() === definition.names.join() &&
        each.container === definition.container &&
        each.variant === definition.variant,
    );
    const [first] = same;
    if (!first || same.length < own.length) return false;
    const comments = folded(oldText.slice(definition.start, definition.decoratorsStart));
    if (
      !folded(text).includes(comments) ||
      (definition.exportStart < definition.bareStart && first.exportStart === first.bareStart)
    )
      return false;
    if (definition.decoratorsStart < definition.exportStart && first.decoratorsStart === first.exportStart)
      return false;
    const nested = first.children.map(({ name }) => name);
    if (definition.items.length === 0) return definition.children.every(({ name }) => nested.includes(name));
    return same.some((each) => holdsAll(definition.children, each.children, oldText, text));
  });
}

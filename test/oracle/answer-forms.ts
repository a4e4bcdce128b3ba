/** The forms in which a model hands in a change, made from a solution that is known to be right. */
import { definitionsOf, sourceOf, type Definition } from '../../sidecar/parsing/definitions/index.ts';
import { passagesOf, type SolvedFile, type SolvedTask } from './solved-task.ts';

/** Each gives the whole answer; undefined where the solution cannot be said in this form. */
export const ANSWER_FORMS = {
  'whole files': (solved) => answerOf(solved.files.map(wholeFile)),
  'unified diff': ({ diff }) => answerOf([fenced('diff', lf(diff).trimEnd())]),
  'search and replace': (solved) => answerOf(solved.files.map(searchAndReplace)),
  'changed definitions': changedDefinitions,
} satisfies Record<string, (solved: SolvedTask) => string | undefined | Promise<string | undefined>>;

export type AnswerForm = keyof typeof ANSWER_FORMS;

const SAID = 'The cause is in the code below.';

const answerOf = (blocks: readonly string[]): string => [SAID, ...blocks].join('\n\n');

/** A model writes line feeds, whatever the file has. */
const lf = (text: string): string => text.replaceAll('\r\n', '\n').replace(/^\uFEFF/u, '');

/** Longer than any fence in the text. */
function fenced(info: string, text: string): string {
  const longest = Math.max(2, ...(text.match(/`{3,}/gu) ?? []).map((ticks) => ticks.length));
  const fence = '`'.repeat(longest + 1);
  return `${fence}${info}\n${text.replace(/\n$/u, '')}\n${fence}`;
}

const LANGUAGES: Record<string, string> = { py: 'python', sh: 'bash', md: 'markdown', yml: 'yaml' };

function infoOf(path: string): string {
  const extension = /\.(\w+)$/u.exec(path)?.[1] ?? '';
  return LANGUAGES[extension] ?? extension;
}

const wholeFile = ({ path, after = 'deleted' }: SolvedFile): string =>
  `\`${path}\`:\n\n${fenced(infoOf(path), lf(after))}`;

function searchAndReplace(file: SolvedFile): string {
  if (file.before === undefined || file.after === undefined) return wholeFile(file);
  const { before, after, path } = file;
  const blocks = passagesOf({ path, before: lf(before), after: lf(after) }).map(
    ({ search, replace }) => `<<<<<<< SEARCH\n${search}=======\n${replace}>>>>>>> REPLACE`,
  );
  return `${path}\n${fenced('', blocks.join('\n'))}`;
}

async function changedDefinitions({ files }: SolvedTask): Promise<string | undefined> {
  const parts = await Promise.all(files.map(definitionsIn));
  return parts.every(({ areDefinitions }) => !areDefinitions)
    ? undefined
    : answerOf(parts.map(({ text }) => text));
}

/**
 * What a file defines, imports or does at its top level and had not before, statements with those beside them, and what goes
 * by name; the whole file where no grammar reads it.
 */
async function definitionsIn(file: SolvedFile): Promise<{ text: string; areDefinitions: boolean }> {
  const { path } = file;
  const [before, after] = [lf(file.before ?? ''), lf(file.after ?? '')];
  const [old, now] = [await definitionsOf(path, before), await sourceOf(path, after)];
  const whole = { text: wholeFile(file), areDefinitions: false };
  if (!old || !now || file.before === undefined || file.after === undefined) return whole;
  const comment = /\.(?:py|sh|rb|ya?ml)$/u.test(path) ? '#' : '//';
  const known = new Set(partsIn(before, (await sourceOf(path, before))?.items ?? []));
  const isFresh = (item: Item | undefined): boolean =>
    item !== undefined && item.type !== 'comment' && !known.has(textOf(after, item));
  const isFreshStatement = (item: Item | undefined): boolean => item?.type === 'statement' && isFresh(item);
  const fresh = now.items.flatMap((item, at) => {
    const beside = [now.items[at - 1], now.items[at + 1]];
    if (!isFresh(item)) {
      const isShown = item.type === 'statement' && beside.some(isFreshStatement);
      return isShown ? [textOf(after, item)] : [];
    }
    return item.type === 'definition'
      ? [changedMembers(item.definition, after, old, before)]
      : [textOf(after, item)];
  });
  const gone = goneFrom(old, now.definitions).map((name) => `${comment} deleted: ${name}`);
  if (fresh.length + gone.length === 0) return whole;
  const code = [...fresh.filter(Boolean), ...new Set(gone)].join('\n\n');
  return { text: fenced(infoOf(path), `${comment} ${path}\n${code}`), areDefinitions: true };
}

/** What is not defined any more, members as `Class.member` where their class stays. */
const goneFrom = (old: readonly Definition[], now: readonly Definition[], owner = ''): string[] =>
  old.flatMap(({ name, children }) => {
    const same = now.find((each) => each.name === name);
    return same ? goneFrom(children, same.children, `${owner}${name}.`) : [owner + name];
  });

type Item = NonNullable<Awaited<ReturnType<typeof sourceOf>>>['items'][number];

const textOf = (text: string, item: Item): string =>
  item.type === 'definition'
    ? text.slice(item.definition.start, item.definition.end)
    : text.slice(item.start, item.end);

const partsIn = (text: string, items: readonly Item[]): string[] => items.map((item) => textOf(text, item));

/** A class with its changed methods only, where nothing else of it changes; nothing where it only loses some. */
function changedMembers(
  definition: Definition,
  after: string,
  old: readonly Definition[],
  before: string,
): string {
  const whole = after.slice(definition.start, definition.end);
  const same = old.find(({ name, kind }) => name === definition.name && kind === definition.kind);
  const [first] = definition.items;
  if (definition.kind !== 'class' || !same || !first || !definition.body) return whole;
  const member = (text: string, each: Item): string => textOf(text, each);
  const known = new Set(partsIn(before, same.items));
  const changed = definition.items.filter((each) => !known.has(member(after, each)));
  if (changed.some((each) => each.type !== 'definition')) return whole;
  if (changed.length === 0) return '';
  const firstStart = first.type === 'definition' ? first.definition.start : first.start;
  const last = definition.items.at(-1);
  const lastEnd = last?.type === 'definition' ? last.definition.end : (last?.end ?? definition.end);
  const indent = /[ \t]*$/u.exec(after.slice(0, firstStart))?.[0] ?? '';
  return (
    after.slice(definition.start, firstStart) +
    changed.map((each) => member(after, each)).join(`\n\n${indent}`) +
    after.slice(lastEnd, definition.end)
  );
}

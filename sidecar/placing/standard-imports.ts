/**
 * Imports that follow from a change and that its answer left out: a model that gives the changed function alone seldom gives
 * its import. Added are modules of the standard library whose name the change is the first to use, and that can mean nothing
 * else; taken out, in Go, what nothing uses any more, for there neither would compile.
 */
import { languageOf, sourceOf, type SourceFile } from '../definitions/index.ts';
import { TextEdits } from '../values/text-edits.ts';
import { addImports } from './import-edits.ts';
import { importedNames, readImport } from './imports.ts';

/** Modules by the name that code uses them by. */
const STANDARD: Record<string, ReadonlyMap<string, string>> = {
  python: new Map(
    (
      'asyncio base64 bisect calendar collections contextlib copy csv dataclasses decimal difflib enum fnmatch fractions functools glob ' +
      'hashlib heapq html io itertools json logging math operator os pathlib random re secrets shlex shutil statistics string struct ' +
      'subprocess sys tempfile textwrap threading time traceback types typing unicodedata urllib uuid zlib'
    )
      .split(' ')
      .map((name) => [name, `import ${name}`]),
  ),
  go: new Map(
    (
      'bufio bytes context encoding/base64 encoding/csv encoding/hex encoding/json errors fmt io log maps math math/bits math/rand os ' +
      'path/filepath reflect regexp slices sort strconv strings sync sync/atomic time unicode unicode/utf8'
    )
      .split(' ')
      .map((path) => [path.split('/').at(-1) ?? path, `"${path}"`]),
  ),
};
/** What holds no code: names in it are words. */
const PROSE: Record<string, RegExp> = {
  python: /"""[\s\S]*?"""|'''[\s\S]*?'''|"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'|#.*/g,
  go: /`[^`]*`|"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)+'|\/\/.*|\/\*[\s\S]*?\*\//g,
};

/** `after`, with the imports that fit it. `before` is undefined for a new file. */
export async function withFittingImports(
  path: string,
  before: string | undefined,
  after: string,
): Promise<string> {
  const language = languageOf(path) ?? '';
  const standard = STANDARD[language];
  const prose = PROSE[language];
  if (!standard || !prose) return after;
  const [usedBefore, usedNow] = [before ?? '', after].map((text) => namesUsed(text.replaceAll(prose, '')));
  if (!usedBefore || !usedNow) return after;
  const lacking = [...usedNow.owners].filter(
    (name) => standard.has(name) && !usedNow.others.has(name) && !usedBefore.owners.has(name),
  );
  const left = language === 'go' ? [...usedBefore.owners].filter((name) => !usedNow.owners.has(name)) : [];
  if (lacking.length + left.length === 0) return after;
  const file = await sourceOf(path, after);
  if (!file || file.problems.length > 0) return after;
  const edits = new TextEdits();
  const imported = importedNames(file, after);
  for (const name of left) if (imported.has(name)) takeOut(file, after, name, edits);
  const lines = lacking.filter((name) => !imported.has(name)).map((name) => standard.get(name) ?? '');
  if (lines.length > 0) addImports(file, after, lines, edits);
  return edits.apply(after);
}

interface NamesUsed {
  /** In front of a dot: `re.sub`. */
  owners: ReadonlySet<string>;
  /** Otherwise: as a variable, a parameter, an import. */
  others: ReadonlySet<string>;
}

function namesUsed(code: string): NamesUsed {
  const owners = new Set<string>();
  const others = new Set<string>();
  for (const [, name = '', dot] of code.matchAll(/(?<![\w.])([A-Za-z_]\w*)(\.(?=\w))?/g))
    (dot === undefined ? others : owners).add(name);
  return { owners, others };
}

/** The line of a group, or the whole statement where it imports nothing else. */
function takeOut({ items, language }: SourceFile, text: string, name: string, edits: TextEdits): void {
  for (const item of items) {
    if (item.type !== 'import') continue;
    const lines = readImport(language, text.slice(item.start, item.end));
    const line = lines.find(({ names }) => names.includes(name));
    if (!line) continue;
    const at = text.indexOf(line.text, item.start);
    const [from, to] = lines.length === 1 ? [item.start, item.end] : [at, at + line.text.length];
    const lineStart = text.lastIndexOf('\n', from - 1) + 1;
    const lineEnd = text.indexOf('\n', to);
    const isAlone = text.slice(lineStart, from).trim() === '' && lineEnd >= 0;
    edits.replace(isAlone ? lineStart : from, isAlone ? lineEnd + 1 : to, '');
    return;
  }
}

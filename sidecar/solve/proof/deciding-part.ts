/**
 * Files that hold settings of runners beside other things, such as package.json: the part that decides how checks run is a
 * file of the checks, dependencies and descriptions are not. Pure.
 */
import { posix } from 'node:path';
import { isRecord, parseJson } from '../../values/json.ts';

/** Keys of package.json that decide nothing of how checks run. */
const DESCRIBING =
  /^(?:name|version|description|private|author|contributors|license|repository|bugs|homepage|keywords|funding|files|man|main|module|browser|bin|exports|types|typings|typesVersions|sideEffects|engines|os|cpu|publishConfig|\w*[dD]ependencies\w*|overrides|resolutions|workspaces|packageManager)$/;
/** Sections of other files that describe a package, or name what it depends on. */
const DESCRIBING_SECTION: Readonly<Record<string, RegExp>> = {
  'pyproject.toml': /^(?:project|build-system|dependency-groups|tool\.poetry)(?:\.|$)/,
  'Cargo.toml': /^(?:package|features|(?:target\..*\.)?(?:build-)?dependencies|workspace)(?:\.|$)/,
  'setup.cfg': /^(?:metadata|options)(?:\.|$)/,
};

/** Returns the part of a file that decides how checks run: all of it unless its kind holds other things as well. */
export function decidingPart(path: string, text: string): string {
  if (posix.basename(path) === 'package.json') {
    const manifest = parseJson(text);
    if (!isRecord(manifest)) return text;
    const kept = Object.entries(manifest).filter(([key]) => !DESCRIBING.test(key));
    return kept.length === 0 ? '' : JSON.stringify(Object.fromEntries(kept));
  }
  const describing = DESCRIBING_SECTION[posix.basename(path)];
  if (!describing) return text;
  return sectionsOf(text)
    .filter((part) => !isDescribing(part, describing))
    .join('')
    .trim();
}

/** Returns the file of the work with the deciding part of the base; undefined if nothing of it remains. */
export function withDecidingPart(path: string, base: string | undefined, work: string): string | undefined {
  if (posix.basename(path) === 'package.json') {
    const [now, before] = [parseJson(work), parseJson(base ?? '{}')];
    if (!isRecord(now) || !isRecord(before)) return base;
    const describing = Object.entries(now).filter(([key]) => DESCRIBING.test(key));
    const deciding = Object.entries(before).filter(([key]) => !DESCRIBING.test(key));
    return `${JSON.stringify(Object.fromEntries([...describing, ...deciding]), null, 2)}\n`;
  }
  const describing = DESCRIBING_SECTION[posix.basename(path)];
  if (!describing) return base;
  const now = sectionsOf(work).filter((part) => isDescribing(part, describing));
  const before = sectionsOf(base ?? '').filter((part) => !isDescribing(part, describing));
  return [
    ...before.filter((part) => !part.startsWith('[')),
    ...now,
    ...before.filter((part) => part.startsWith('[')),
  ]
    .map((part) => part.replace(/\n*$/, '\n'))
    .join('');
}

/** The lines before the first heading, then each heading with its lines. */
const sectionsOf = (text: string): string[] =>
  text.split(/^(?=[ \t]*\[)(?=[ \t]*\[{1,2}[\w"'.: -]+\]{1,2}[ \t]*(?:#.*)?$)/m);

const isDescribing = (section: string, describing: RegExp): boolean =>
  describing.test(/^\s*\[{1,2}([^\]]*)\]/.exec(section)?.[1]?.replaceAll('"', '').trim() ?? '');

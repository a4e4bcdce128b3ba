/** Reads the scripts of a package, and the recipes of a makefile or a justfile, as commands. Pure. */
import { isRecord, parseJson } from '../../../base/values/json.ts';

const MAX_DEPTH = 5;
const TARGET_LINE = /^(?=[^\s#:=][^:=\n]*:(?!=))/m;
const VARIABLE_LINE = /^(?:export[ \t]+)?([\w.-]+)[ \t]*[:?+]?=[ \t]*(.*)$/gm;

/** Returns the commands of the targets among `words`, with their dependencies. If no word is a target, the first target is used. */
export function recipesOf(makefile: string, words: readonly string[]): string {
  const variables = new Map([...makefile.matchAll(VARIABLE_LINE)].map(([, name, text]) => [name, text]));
  const expandVariables = (text: string, depth = 0): string =>
    text.replaceAll(/\$[({]([\w.-]+)[)}]/g, (whole, name: string) => {
      const value = depth < MAX_DEPTH ? variables.get(name) : undefined;
      return value === undefined ? whole : expandVariables(value, depth + 1);
    });
  const rules = makefile.split(TARGET_LINE).flatMap((text) => {
    const [, names, needs = ''] = /^([^\s#:=][^:]*):+(?!=)([^\n=;]*)/.exec(expandVariables(text)) ?? [];
    const lines = text.match(/^[ \t]+\S.*$/gm) ?? [];
    const commands = lines.map((line) => expandVariables(line.replace(/^[ \t]+[@+-]*/, '')));
    return names === undefined ? [] : [{ names: names.split(/\s+/), needs: needs.split(/\s+/), commands }];
  });
  const all = rules.flatMap(({ names }) => names);
  const named = words.filter((word) => all.includes(word));
  const wanted = new Set(named.length > 0 ? named : all.filter((name) => !name.startsWith('.')).slice(0, 1));
  for (const name of wanted)
    for (const { names, needs } of rules)
      if (names.includes(name)) for (const need of needs) wanted.add(need);
  const chosen = rules.filter(({ names }) => names.some((name) => wanted.has(name)));
  const commands = chosen.flatMap((rule) => rule.commands).join('\n');
  return commands.replaceAll('$(CURDIR)', '.').replaceAll('$$', '$');
}

/** Returns the scripts of a package that `words` name, and the scripts that they start. */
export function extractPackageScripts(manifest: string, words: readonly string[]): string {
  const value = parseJson(manifest);
  const scripts = new Map(Object.entries(isRecord(value) && isRecord(value.scripts) ? value.scripts : {}));
  const wanted = new Set(words.map((word) => (word === 't' ? 'test' : word)));
  const found: string[] = [];
  for (const name of wanted)
    for (const text of [`pre${name}`, name, `post${name}`].map((one) => scripts.get(one))) {
      if (typeof text !== 'string') continue;
      // A script can start other scripts by name: `run-s lint test`, `concurrently npm:test`.
      for (const word of text.split(/[^\w:.-]+/)) wanted.add(word.replace(/^npm:/, ''));
      found.push(text);
    }
  return found.join('\n');
}

/** Recipes of a makefile or a justfile, as commands. Pure. */

/** Returns the commands of the targets among some words and of what these need; of the first target if there is none. */
export function recipesOf(makefile: string, words: readonly string[]): string {
  const filled = withVariables(makefile);
  const rules = makefile
    .split(/^(?=[^\s#:=][^:=\n]*:(?!=))/m)
    .filter((text) => /^[^\s#:=][^:=\n]*:(?!=)/.test(text))
    .map((text) => {
      const [, names = '', needs = ''] = /^([^:]*):+([^\n=;]*)/.exec(filled(text)) ?? [];
      const lines = text.split('\n').filter((line) => /^[ \t]+\S/.test(line));
      return {
        names: names.split(/\s+/),
        needs: needs.split(/\s+/),
        commands: lines.map((line) =>
          filled(line.replace(/^[ \t]+[@+-]*/, '').replaceAll('$(CURDIR)', '.')).replaceAll('$$', '$'),
        ),
      };
    });
  const first = rules.find(({ names }) => !names.some((name) => name.startsWith('.')))?.names ?? [];
  const named = words.filter((word) => rules.some(({ names }) => names.includes(word)));
  const wanted = new Set(named.length > 0 ? named : first);
  for (const name of wanted)
    for (const { names, needs } of rules)
      if (names.includes(name)) for (const need of needs) wanted.add(need);
  return rules
    .filter(({ names }) => names.some((name) => wanted.has(name)))
    .flatMap(({ commands }) => commands)
    .join('\n');
}

const MAX_DEPTH = 5;

function withVariables(makefile: string): (text: string) => string {
  const variables = new Map(
    [...makefile.matchAll(/^(?:export[ \t]+)?([\w.-]+)[ \t]*[:?+]?=[ \t]*(.*)$/gm)].map(([, name, text]) => [
      name,
      text,
    ]),
  );
  const filled = (text: string, depth = 0): string =>
    text.replaceAll(/\$[({]([\w.-]+)[)}]/g, (whole, name: string) => {
      const value = depth < MAX_DEPTH ? variables.get(name) : undefined;
      return value === undefined ? whole : filled(value, depth + 1);
    });
  return filled;
}

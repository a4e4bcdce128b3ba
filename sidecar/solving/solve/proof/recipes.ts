/** Reads the recipes of a makefile or a justfile as commands. Pure. */
const MAX_DEPTH = 5;
const TARGETS = /^(?=[^\s#:=][^:=\n]*:(?!=))/m;
const VARIABLES = /^(?:export[ \t]+)?([\w.-]+)[ \t]*[:?+]?=[ \t]*(.*)$/gm;

/** Returns the commands of the targets among `words`, with their dependencies. If no word is a target, the first target is used. */
export function recipesOf(makefile: string, words: readonly string[]): string {
  const variables = new Map([...makefile.matchAll(VARIABLES)].map(([, name, text]) => [name, text]));
  const expandVariables = (text: string, depth = 0): string =>
    text.replaceAll(/\$[({]([\w.-]+)[)}]/g, (whole, name: string) => {
      const value = depth < MAX_DEPTH ? variables.get(name) : undefined;
      return value === undefined ? whole : expandVariables(value, depth + 1);
    });
  const rules = makefile.split(TARGETS).flatMap((text) => {
    const [, names, needs = ''] = /^([^\s#:=][^:]*):+(?!=)([^\n=;]*)/.exec(expandVariables(text)) ?? [];
    const lines = text.split('\n').filter((line) => /^[ \t]+\S/.test(line));
    const commands = lines.map((line) => line.replace(/^[ \t]+[@+-]*/, '').replaceAll('$(CURDIR)', '.'));
    return names === undefined
      ? []
      : [
          {
            names: names.split(/\s+/),
            needs: needs.split(/\s+/),
            commands: commands.map((one) => expandVariables(one)),
          },
        ];
  });
  const first = rules.find(({ names }) => !names.some((name) => name.startsWith('.')))?.names ?? [];
  const named = words.filter((word) => rules.some(({ names }) => names.includes(word)));
  const wanted = new Set(named.length > 0 ? named : first);
  for (const name of wanted)
    for (const { names, needs } of rules)
      if (names.includes(name)) for (const need of needs) wanted.add(need);
  const chosen = rules.filter(({ names }) => names.some((name) => wanted.has(name)));
  return chosen
    .flatMap(({ commands }) => commands)
    .join('\n')
    .replaceAll('$$', '$');
}

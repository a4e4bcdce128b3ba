/**
 * Splits outputs in which the runner of a monorepo (`pnpm -r`, Turborepo, Lerna, Yarn) prints the name of a
 * package before each line. Pure.
 */

/** Matches `packages/app test: `, `app:test: `, `[app]: `, `[0] `. */
const PREFIX = /^((?:[\w@./-]+ )?[\w@.:/[\]-]+: |\[[^\]\n]{1,80}\]:? )/;
const MIN_LINES = 3;

/**
 * Returns the lines of each package separately, without the prefix. Returns none if no prefix occurs on
 * several lines.
 */
export function linesByPackage(lines: readonly string[]): string[][] {
  const packages = new Map<string, string[]>();
  for (const line of lines) {
    const [prefix] = PREFIX.exec(`${line} `) ?? [];
    if (prefix === undefined) continue;
    const own = packages.get(prefix) ?? [];
    own.push(line.slice(prefix.length));
    packages.set(prefix, own);
  }
  return [...packages.values()].filter((own) => own.length >= MIN_LINES);
}

/** Version of the package, read at build time. */
import manifest from '../../../package.json' with { type: 'json' };

export const VERSION: string = manifest.version;

/**
 * Whether a version such as 0.11.4 is lower than another. Suffixes are ignored. An unreadable version is not
 * lower.
 */
export function isOlderVersion(version: string, than: string): boolean {
  const [have, need] = [version, than].map((text) =>
    /^v?(\d{1,6})\.(\d{1,6})(?:\.(\d{1,6}))?/u
      .exec(text)
      ?.slice(1)
      .map((part) => Number(part ?? 0)),
  );
  if (!have || !need) return false;
  const at = have.findIndex((number, index) => number !== need[index]);
  return at >= 0 && (have[at] ?? 0) < (need[at] ?? 0);
}

/** Version of the package, read at build time. */
import manifest from '../../../package.json' with { type: 'json' };

export const VERSION: string = manifest.version;

/**
 * Returns whether a version such as 0.11.4 is lower than `reference`. Suffixes are ignored. Returns false if the version cannot be parsed.
 */
export function isOlderVersion(version: string, reference: string): boolean {
  const [versionParts, referenceParts] = [version, reference].map((text) =>
    /^v?(\d{1,6})\.(\d{1,6})(?:\.(\d{1,6}))?/u
      .exec(text)
      ?.slice(1)
      .map((part) => Number(part ?? 0)),
  );
  if (!versionParts || !referenceParts) return false;
  const differingIndex = versionParts.findIndex((number, index) => number !== referenceParts[index]);
  return differingIndex >= 0 && (versionParts[differingIndex] ?? 0) < (referenceParts[differingIndex] ?? 0);
}

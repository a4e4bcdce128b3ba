import { compareVersions, parseVersion } from './version.js';

/** Newest first; what is no version is left out. */
export function sortReleases(tags) {
  return tags.filter((tag) => parseVersion(tag)).sort((a, b) => compareVersions(b, a));
}

/** The newest release; pre-releases count only with `pre`. */
export function latest(tags, { pre = false } = {}) {
  return sortReleases(tags).find((tag) => pre || parseVersion(tag).pre.length === 0);
}

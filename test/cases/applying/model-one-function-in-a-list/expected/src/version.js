const FORM = /^v?(\d+)\.(\d+)\.(\d+)(?:-([0-9A-Za-z.-]+))?(?:\+[0-9A-Za-z.-]+)?$/;

/** { numbers: [major, minor, patch], pre: [...] }, or null when the text is no version. */
export function parseVersion(text) {
  const match = FORM.exec(text);
  if (!match) return null;
  return { numbers: match.slice(1, 4).map(Number), pre: match[4] ? match[4].split('.') : [] };
}

/** Negative when a is older than b, positive when it is newer, 0 when they are the same. */
export function compareVersions(a, b) {
  const left = parseVersion(a);
  const right = parseVersion(b);
  if (!left || !right) throw new Error(`not a version: ${left ? b : a}`);
  for (let i = 0; i < 3; i += 1) {
    if (left.numbers[i] !== right.numbers[i]) return left.numbers[i] - right.numbers[i];
  }
  return comparePre(left.pre, right.pre);
}

function comparePre(left, right) {
  if (left.length === 0 || right.length === 0) return right.length - left.length;
  for (let i = 0; i < Math.max(left.length, right.length); i += 1) {
    if (left[i] === undefined) return -1;
    if (right[i] === undefined) return 1;
    if (left[i] === right[i]) continue;
    return parseInt(left[i], 10) - parseInt(right[i], 10);
  }
  return 0;
}

/** Matches the pointer that git stores in place of a Git LFS file. */
const POINTER_PATTERN =
  /^version https:\/\/git-lfs\.github\.com\/spec\/v1\n(?:ext-\d[^\n]*\n)*oid sha256:[0-9a-f]{64}\nsize \d+\n?$/;
export const MAX_POINTER_BYTES = 1024;

export const isLfsPointer = (text: string): boolean =>
  text.length <= MAX_POINTER_BYTES && POINTER_PATTERN.test(text);

/** Quotes words for a shell, for commands that users copy or review. Pure. */
export const shellWord = (text: string): string =>
  /^[\w@%+=:,./-]+$/u.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;

export const shellWords = (words: readonly string[]): string => words.map(shellWord).join(' ');

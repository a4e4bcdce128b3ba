/** Quotes words for a shell, for commands that users copy or review. Pure. */
export const quoteShellWord = (text: string): string =>
  /^[\w@%+=:,./-]+$/u.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;

export const quoteShellWords = (words: readonly string[]): string => words.map(quoteShellWord).join(' ');

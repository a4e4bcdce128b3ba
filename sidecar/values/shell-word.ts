/** Words as a shell takes them; for commands that people copy or decide on. Pure. */
export const shellWord = (text: string): string =>
  /^[\w@%+=:,./-]+$/u.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;

export const shellWords = (words: readonly string[]): string => words.map(shellWord).join(' ');

/** A word as a shell takes it; for commands that people copy. */
export const shellWord = (text: string): string =>
  /^[\w@%+=:,./~-]+$/u.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;

/** The words of commands, scripts and descriptions, without regular expressions over whole texts. */

const MAX_CHARS = 200_000;
const MAX_WORDS = 20_000;
const SEPARATORS = new Set(' \t\r\n"\'`;|&()<>{}[],=:$\\');

/** Words between blanks, quotes and the shell's signs, each once. Takes time linear in the text. */
export function wordsOf(text: string): string[] {
  const words = new Set<string>();
  let word = '';
  for (const character of text.slice(0, MAX_CHARS)) {
    if (!SEPARATORS.has(character)) {
      word += character;
      continue;
    }
    if (word !== '') words.add(word);
    word = '';
    if (words.size >= MAX_WORDS) break;
  }
  if (word !== '') words.add(word);
  return [...words];
}

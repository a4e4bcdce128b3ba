/** The options of the list command, from the words after it. */
export function parseArgs(words) {
  const options = { sort: 'title', limit: Infinity, reverse: false };
  for (let i = 0; i < words.length; i++) {
    switch (words[i]) {
      case '--sort':
        options.sort = words[++i];
        break;
      case '--limit':
        options.limit = Number(words[++i]);
        break;
      case '--reverse':
        options.reverse = true;
        break;
      default:
        throw new Error(`unknown flag ${words[i]}`);
    }
  }
  return options;
}

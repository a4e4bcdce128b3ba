import { readFileSync } from 'node:fs';
import { parseArgs } from './args.js';
import { listBookmarks } from './list.js';

const [command, ...words] = process.argv.slice(2);
if (command !== 'list') {
  console.error('usage: cli.js list [flags]');
  process.exit(2);
}
const bookmarks = JSON.parse(readFileSync(new URL('../bookmarks.json', import.meta.url), 'utf8'));
for (const line of listBookmarks(bookmarks, parseArgs(words))) console.log(line);

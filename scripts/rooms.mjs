/* The table of rooms (scripts/rooms.json) as docs/ARCHITECTURE.md shows it: a picture and a list. */
import { readFileSync } from 'node:fs';

export const roomTable = JSON.parse(readFileSync(new URL('rooms.json', import.meta.url), 'utf8'));

const BEGIN = '<!-- rooms: made by npm run docs from scripts/rooms.json -->';
const END = '<!-- end of rooms -->';

/** The document with picture and list put between its two marks. Throws where a room is not in the picture once. */
export function withRooms(document) {
  const [before, , after] = document.split(new RegExp(`${BEGIN}|${END}`));
  if (after === undefined) throw new Error(`the document has lost its marks: ${BEGIN} … ${END}`);
  return `${before}${BEGIN}\n\n${picture()}\n\n${list()}\n\n${END}${after}`;
}

/** One box a layer, what people start at the top, what all stand on at the bottom. */
function picture() {
  const drawn = roomTable.layers.flatMap(({ rooms }) => rooms);
  const known = roomTable.rooms.map(({ room }) => room);
  const wrong = [...drawn, ...known].filter(
    (room) => drawn.filter((name) => name === room).length !== 1 || !known.includes(room),
  );
  if (wrong.length > 0)
    throw new Error(`scripts/rooms.json: not once in layers and rooms: ${[...new Set(wrong)].join()}`);
  const texts = roomTable.layers.map(({ layer, rooms }) => `${layer.padEnd(26)}${rooms.join('   ')}`);
  const width = Math.max(...texts.map(({ length }) => length));
  const line = (left, right) => `${left}${'─'.repeat(width + 2)}${right}`;
  const rows = texts.map((text) => `│ ${text.padEnd(width)} │`);
  return ['```', line('┌', '┐'), rows.join(`\n${line('├', '┤')}\n`), line('└', '┘'), '```'].join('\n');
}

/** The rooms with their jobs; who may import whom stands in the file itself. */
const list = () => roomTable.rooms.map(({ room, job }) => `- \`${room}\`: ${job}`).join('\n');

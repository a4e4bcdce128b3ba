/* The table of rooms (scripts/rooms.json) as docs/ARCHITECTURE.md shows it: a picture and a table. */
import { readFileSync } from 'node:fs';

export const roomTable = JSON.parse(readFileSync(new URL('rooms.json', import.meta.url), 'utf8'));

const PICTURE_WIDTH = 100;
const BEGIN = '<!-- rooms: made by npm run docs from scripts/rooms.json -->';
const END = '<!-- end of rooms -->';

/** The document with picture and table put between its two marks. Throws where a room is not in the picture once. */
export function withRooms(document) {
  const [before, , after] = document.split(new RegExp(`${BEGIN}|${END}`));
  if (after === undefined) throw new Error(`the document has lost its marks: ${BEGIN} … ${END}`);
  return `${before}${BEGIN}\n\n${picture()}\n\n${table()}\n\n${END}${after}`;
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
  const line = (left, right) => `${left}${'─'.repeat(PICTURE_WIDTH)}${right}`;
  const rows = roomTable.layers.map(
    ({ layer, rooms }) => `│ ${`${layer.padEnd(26)}${rooms.join('   ')}`.padEnd(PICTURE_WIDTH - 2)} │`,
  );
  return ['```', line('┌', '┐'), rows.join(`\n${line('├', '┤')}\n`), line('└', '┘'), '```'].join('\n');
}

function table() {
  const all = roomTable.rooms.length - 1;
  const allowed = ({ imports, room }) => {
    const others = roomTable.everywhere.filter((name) => name !== room);
    const named = imports.filter((name) => !others.includes(name));
    return named.length + others.length >= all ? 'all' : named.map((name) => `\`${name}\``).join(', ') || '–';
  };
  const rows = roomTable.rooms.map((row) => `| \`${row.room}\` | ${row.job} | ${allowed(row)} |`);
  return ['| room | job | may import |', '| --- | --- | --- |', ...rows].join('\n');
}

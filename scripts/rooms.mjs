/* The table of rooms (scripts/rooms.json) as docs/ARCHITECTURE.md shows it: a list for each layer, entry points first. */
import { readFileSync } from 'node:fs';

export const roomTable = JSON.parse(readFileSync(new URL('rooms.json', import.meta.url), 'utf8'));

const BEGIN = '<!-- rooms: made by npm run docs from scripts/rooms.json -->';
const END = '<!-- end of rooms -->';

/** The document with the lists put between its two marks. Throws where a room is not in one layer. */
export function withRooms(document) {
  const [before, , after] = document.split(new RegExp(`${BEGIN}|${END}`));
  if (after === undefined) throw new Error(`the document has lost its marks: ${BEGIN} … ${END}`);
  return `${before}${BEGIN}\n\n${lists()}\n\n${END}${after}`;
}

/** The rooms with their jobs, layer by layer; who may import whom stands in the file itself. */
function lists() {
  const drawn = roomTable.layers.flatMap(({ rooms }) => rooms);
  const jobs = new Map(roomTable.rooms.map(({ room, job }) => [room, job]));
  const wrong = [...drawn, ...jobs.keys()].filter(
    (room) => drawn.filter((name) => name === room).length !== 1 || !jobs.has(room),
  );
  if (wrong.length > 0)
    throw new Error(`scripts/rooms.json: not once in layers and rooms: ${[...new Set(wrong)].join()}`);
  const listOf = ({ layer, rooms }) =>
    [
      `${layer[0].toUpperCase()}${layer.slice(1)}:\n`,
      ...rooms.map((room) => `- \`${room}\`: ${jobs.get(room)}`),
    ].join('\n');
  return roomTable.layers.map(listOf).join('\n\n');
}

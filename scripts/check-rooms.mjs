/*
 * Fails where a room of sidecar/ imports what scripts/rooms.json does not let it import, where a file has no room, and
 * where the table allows what nobody uses: the table is true, and docs/ARCHITECTURE.md is made from it.
 */
import { cruise } from 'dependency-cruiser';
import config from '../.dependency-cruiser.cjs';
import { roomTable } from './rooms.mjs';

const { output } = await cruise(['sidecar'], { ...config.options, validate: true, ruleSet: config });
const broken = output.summary.violations.map(
  ({ from, to, rule }) =>
    `${from} → ${to}: ${config.forbidden.find(({ name }) => name === rule.name).comment}`,
);

const known = new Set(roomTable.rooms.map(({ room }) => room));
const strangers = new Set(
  output.modules.map(({ source }) => roomOf(source)).filter((room) => room && !known.has(room)),
);
const roomless = [...strangers].map(
  (room) => `sidecar/${room} is not in scripts/rooms.json: give it a layer and a row (and npm run docs)`,
);

const used = new Map(roomTable.rooms.map(({ room }) => [room, new Set()]));
for (const { source, dependencies } of output.modules) {
  for (const { resolved } of dependencies) used.get(roomOf(source))?.add(roomOf(resolved));
}
const unused = roomTable.rooms.flatMap(({ room, imports }) =>
  imports
    .filter((other) => !used.get(room).has(other))
    .map(
      (other) =>
        `scripts/rooms.json: ${room} does not import ${other} any more: take it out (and npm run docs)`,
    ),
);

const faults = [...roomless, ...broken, ...unused];
for (const fault of faults) console.error(fault);
if (faults.length > 0) process.exitCode = 1;

function roomOf(path) {
  // A room may stand in the folder of another: the longest name is the file's own.
  const name = [...known]
    .filter((room) => `${path}/`.startsWith(`sidecar/${room}/`))
    .sort((a, b) => b.length - a.length)[0];
  return name ?? /^sidecar\/(.+)$/.exec(path)?.[1];
}

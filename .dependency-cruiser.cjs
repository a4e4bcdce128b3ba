/*
 * Who may import whom, made from scripts/rooms.json: one rule for each room of sidecar/. docs/ARCHITECTURE.md shows the
 * same table.
 */
const { rooms, everywhere } = require('./scripts/rooms.json');

/** Matches the files of a room, not those of a room in its folder. */
const pathOf = (room) => {
  const inner = rooms
    .filter((other) => other.room.startsWith(`${room}/`))
    .map((other) => other.room.slice(room.length));
  const others = inner.length > 0 ? `(?!(?:${inner.map(escaped).join('|')})(?:/|$))` : '';
  return `sidecar/${escaped(room)}${others}(?:/|$)`;
};
const escaped = (text) => text.replaceAll('.', '\\.');
const oneOf = (names) => `^(?:${names.map(pathOf).join('|')})`;

module.exports = {
  forbidden: [
    ...rooms.map(({ room, imports }) => ({
      name: room,
      comment: `${room} may import ${[...imports, ...everywhere].join(', ')}. Where it needs more, see whether the thing belongs there; a row of scripts/rooms.json says so then (and npm run docs).`,
      severity: 'error',
      from: { path: oneOf([room]) },
      to: { path: '^sidecar/', pathNot: oneOf([room, ...imports, ...everywhere]) },
    })),
    {
      name: 'no-circles',
      comment: 'A file imports nothing that imports it, types included.',
      severity: 'error',
      from: { path: '^sidecar/' },
      to: { circular: true },
    },
    {
      name: 'only-what-ships',
      comment: 'The program imports nothing of tests, benchmarks and scripts.',
      severity: 'error',
      from: { path: '^sidecar/' },
      to: { path: '^(?:test|bench|scripts)/' },
    },
  ],
  options: {
    parser: 'swc',
    tsPreCompilationDeps: true,
    doNotFollow: { path: 'node_modules' },
    enhancedResolveOptions: { extensions: ['.ts', '.mjs', '.js'] },
  },
};

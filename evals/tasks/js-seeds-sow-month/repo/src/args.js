/** Options that each command knows; all of them take a value. */
const OPTIONS = {
  list: ['kind'],
  show: [],
};

/** Splits the arguments: `{ command, options, rest }`. */
export function parseArgs(args) {
  const [command, ...others] = args;
  if (!Object.hasOwn(OPTIONS, command ?? '')) throw new Error(`unknown command: ${command ?? ''}`);
  const options = {};
  const rest = [];
  while (others.length > 0) {
    const arg = others.shift();
    if (!arg.startsWith('--')) {
      rest.push(arg);
      continue;
    }
    const name = arg.slice(2);
    if (!OPTIONS[command].includes(name)) throw new Error(`unknown option: ${arg}`);
    if (others.length === 0) throw new Error(`${arg} needs a value`);
    options[name] = others.shift();
  }
  return { command, options, rest };
}

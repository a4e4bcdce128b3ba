import { parseArgs } from './args.js';
import { seeds } from './seeds.js';

const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];

function sownIn(seed, month) {
  const [from, to] = seed.sow;
  if (from <= to) return from <= month && month <= to;
  return month >= from || month <= to;
}

function list(options) {
  let found = seeds;
  if (options.kind !== undefined) {
    found = found.filter((seed) => seed.kind === options.kind);
  }
  if (options.sow !== undefined) {
    const month = Number(options.sow);
    if (!Number.isInteger(month) || month < 1 || month > 12) throw new Error(`bad month: ${options.sow}`);
    found = found.filter((seed) => sownIn(seed, month));
  }
  if (found.length === 0) return 'nothing found';
  return found.map((seed) => seed.name).join('\n');
}

function show(name) {
  const seed = seeds.find((each) => each.name.toLowerCase() === name?.toLowerCase());
  if (!seed) throw new Error(`no such seed: ${name}`);
  const [from, to] = seed.sow;
  return `${seed.name} (${seed.kind}): sow ${MONTHS[from - 1]} to ${MONTHS[to - 1]}`;
}

/** Runs a command and returns its output. */
export function run(args) {
  const { command, options, rest } = parseArgs(args);
  if (command === 'list') return list(options);
  return show(rest[0]);
}

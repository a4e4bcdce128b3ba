/**
 * Reads command line arguments.
 * spec: { name: 'boolean' | 'string' | 'list' }, short: { letter: name }.
 * Returns { flags, rest }; throws on what is unknown or lacks its value.
 */
export function parseFlags(args, spec, short = {}) {
  const flags = {};
  const rest = [];
  for (let i = 0; i < args.length; i += 1) {
    const arg = args[i];
    if (arg === '--') {
      rest.push(...args.slice(i + 1));
      break;
    }
    if (!arg.startsWith('-') || arg === '-') {
      rest.push(arg);
      continue;
    }
    const { name, value } = readFlag(arg, short);
    const type = spec[name];
    if (!type) throw new Error(`unknown flag: ${arg}`);
    if (type === 'boolean') {
      if (value !== undefined) throw new Error(`--${name} takes no value`);
      flags[name] = true;
      continue;
    }
    // Parse the value as an object
    const given = value ?? args[(i += 1)];
    if (given === undefined) throw new Error(`--${name} needs a value`);
    if (type === 'list') flags[name] = [...(flags[name] ?? []), given];
    else flags[name] = given;
  }
  return { flags, rest };
}

function readFlag(arg, short) {
  if (!arg.startsWith('--')) return { name: short[arg.slice(1)] ?? arg.slice(1), value: undefined };
  const [name, value] = arg.slice(2).split('=');
  return { name, value };
}

import { color } from './palette.js';

/** Arguments of the program as options. */
export function readArguments(args) {
  const options = { color: color('black'), width: 1 };
  for (let at = 0; at < args.length; at += 2) {
    const [name, value] = [args[at], args[at + 1]];
    if (name === '--color') options.color = color(value);
    else if (name === '--width') options.width = Number(value);
    else throw new Error(`unknown option ${name}`);
  }
  return options;
}

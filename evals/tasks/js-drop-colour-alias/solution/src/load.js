import { color } from './palette.js';

/** Reads a saved pen; files from before 2.0 say "colour". */
export function load(text) {
  const saved = JSON.parse(text);
  return { width: saved.width ?? 1, color: color(saved.color ?? saved.colour ?? 'black') };
}

import { readFileSync } from 'node:fs';

const flags = JSON.parse(readFileSync(new URL('../flags.json', import.meta.url), 'utf8'));

export function isOn(name) {
  if (!(name in flags)) throw new Error(`unknown flag ${name}`);
  return flags[name];
}

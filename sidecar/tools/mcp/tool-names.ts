/**
 * Names under which a model knows tools of MCP servers: the server's name before the tool's, small letters, digits and
 * _, short, and no other tool's in any spelling, nor one by which models mean a built-in tool. Pure.
 */
import { fold, resolveToolName } from '../aliases.ts';

const MAX_NAME_CHARS = 40;

/** A name that is free; `taken` has folded names and gets the new one. */
export function nameFor(server: string, tool: string, taken: Set<string>): string {
  const [first, last] = [snake(server), snake(tool)];
  const whole = last === first || last.startsWith(`${first}_`) ? last : `${first}_${last}`;
  for (let number = 1; ; number += 1) {
    const ending = number === 1 ? '' : `_${number}`;
    const name = `${whole.slice(0, MAX_NAME_CHARS - ending.length).replace(/_+$/u, '')}${ending}`;
    if (taken.has(fold(name)) || resolveToolName(name) !== undefined) continue;
    taken.add(fold(name));
    return name;
  }
}

/** The prefix of the names of all tools of a server. */
export const prefixOf = (server: string): string => `${snake(server)}_`;

function snake(text: string): string {
  const words = text
    .slice(0, 200)
    .replaceAll(/([a-z0-9])([A-Z])/gu, '$1_$2')
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/gu, '_')
    .replaceAll(/^_+|_+$/gu, '');
  return words === '' ? 'tool' : words;
}

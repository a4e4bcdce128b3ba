/**
 * Names the tools of MCP servers for the model: the server's name before the tool's, in short snake case, distinct in
 * any spelling from all other tools and from aliases of built-in tools. Pure.
 */
import { foldName, resolveToolName } from '../aliases.ts';

const MAX_NAME_CHARS = 40;

/** Returns a name that is not in `takenNames`, a set of folded names, and adds it to the set. */
export function createToolName(server: string, tool: string, takenNames: Set<string>): string {
  const [serverPart, toolPart] = [toSnakeCase(server), toSnakeCase(tool)];
  const baseName =
    toolPart === serverPart || toolPart.startsWith(`${serverPart}_`) ? toolPart : `${serverPart}_${toolPart}`;
  for (let number = 1; ; number += 1) {
    const suffix = number === 1 ? '' : `_${number}`;
    const name = `${baseName.slice(0, MAX_NAME_CHARS - suffix.length).replace(/_+$/u, '')}${suffix}`;
    if (takenNames.has(foldName(name)) || resolveToolName(name) !== undefined) continue;
    takenNames.add(foldName(name));
    return name;
  }
}

/** Returns the prefix of the names of a server's tools. */
export const toolPrefixOf = (server: string): string => `${toSnakeCase(server)}_`;

function toSnakeCase(text: string): string {
  const words = text
    .slice(0, 200)
    .replaceAll(/([a-z0-9])([A-Z])/gu, '$1_$2')
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/gu, '_')
    .replaceAll(/^_+|_+$/gu, '');
  return words === '' ? 'tool' : words;
}

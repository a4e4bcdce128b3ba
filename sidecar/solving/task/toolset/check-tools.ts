/**
 * Checks that the operator's tool settings are consistent: unique names, and lists that name existing tools. The configuration schema
 * checks single tools.
 */
import type { Config } from '../../../base/config/schema.ts';
import { foldName, resolveToolName, STANDARD_TOOL_NAMES } from '../../../tools/aliases.ts';
import { toolPrefixOf } from '../../../tools/mcp/tool-names.ts';
import { findUnknownNames } from '../../../tools/selection.ts';

/** Returns the problems, each a sentence with the required change; empty if there are none. Pure. */
export function findToolProblems({ own, only, disabled, mcp }: Config['tools']): string[] {
  const taken = new Set<string>();
  const doubled = own.flatMap(({ name }) => {
    const builtIn = resolveToolName(name);
    const isTaken = taken.has(foldName(name));
    taken.add(foldName(name));
    if (builtIn !== undefined)
      return [`tools.own: ${name} is also a name of the built-in tool ${builtIn}; choose another name`];
    return isTaken ? [`tools.own: two tools have the name ${name}; choose another name for one of them`] : [];
  });
  const names = own.map(({ name }) => name);
  const prefixes = Object.keys(mcp).map(toolPrefixOf);
  // A server's tools are known only while it runs.
  const isKnown = (name: string) =>
    names.includes(name) || prefixes.some((prefix) => name.startsWith(prefix));
  const all = [...STANDARD_TOOL_NAMES, ...names, ...prefixes.map((prefix) => `${prefix}…`)].join(', ');
  const unknown = [
    ...findUnknownNames({ only }, isKnown).map((name) => ['tools.only', name]),
    ...findUnknownNames({ disabled }, isKnown).map((name) => ['tools.disabled', name]),
  ].map(([key, name]) => `${key}: there is no tool ${name}; the tools are ${all}`);
  return [...doubled, ...unknown];
}

/** Throws `config_invalid` if the settings are inconsistent. */
export function checkTools({ tools }: Pick<Config, 'tools'>): void {
  const problems = findToolProblems(tools);
  if (problems.length === 0) return;
  const message = `The configuration is invalid:\n${problems.map((problem) => `  ${problem}`).join('\n')}`;
  throw Object.assign(new TypeError(message), { code: 'config_invalid' });
}

/**
 * Whether the operator's settings of tools fit together: names that are free, lists that name what there is. What is
 * wrong with a single tool is found by the configuration's schema already.
 */
import type { Config } from '../../../base/config/schema.ts';
import { fold, resolveToolName, STANDARD_TOOL_NAMES } from '../../../tools/aliases.ts';
import { prefixOf } from '../../../tools/mcp/tool-names.ts';
import { unknownNames } from '../../../tools/selection.ts';

/** The problems, a sentence each with what to change; empty where all is well. Pure. */
export function toolProblems({ own, only, disabled, mcp }: Config['tools']): string[] {
  const taken = new Set<string>();
  const doubled = own.flatMap(({ name }) => {
    const builtIn = resolveToolName(name);
    const isTaken = taken.has(fold(name));
    taken.add(fold(name));
    if (builtIn !== undefined)
      return [`tools.own: models mean the built-in tool ${builtIn} by ${name}; choose another name`];
    return isTaken ? [`tools.own: ${name} is the name of another of these tools; choose another`] : [];
  });
  const names = own.map(({ name }) => name);
  const prefixes = Object.keys(mcp).map(prefixOf);
  // A server's tools are known only when it runs.
  const isKnown = (name: string) =>
    names.includes(name) || prefixes.some((prefix) => name.startsWith(prefix));
  const all = [...STANDARD_TOOL_NAMES, ...names, ...prefixes.map((prefix) => `${prefix}…`)].join(', ');
  const unknown = [
    ...unknownNames({ only }, isKnown).map((name) => ['tools.only', name]),
    ...unknownNames({ disabled }, isKnown).map((name) => ['tools.disabled', name]),
  ].map(([key, name]) => `${key}: there is no tool ${name}; there are ${all}`);
  return [...doubled, ...unknown];
}

/** Throws `config_invalid` for settings that do not fit together. */
export function checkTools({ tools }: Pick<Config, 'tools'>): void {
  const problems = toolProblems(tools);
  if (problems.length === 0) return;
  const message = `The configuration is not right:\n${problems.map((problem) => `  ${problem}`).join('\n')}`;
  throw Object.assign(new TypeError(message), { code: 'config_invalid' });
}

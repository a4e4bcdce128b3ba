/**
 * Truncates a tool's output for the model: by characters, then by lines if there is a limit. Characters are UTF-16 units, and a surrogate
 * pair is never split. The markers for omitted text are not counted by the limit.
 */
import { shortenMiddle } from '../base/values/shortening.ts';
import { standardTools } from './standard-tools.ts';
import type { OutputLimit } from './types.ts';

export interface ToolLimits {
  /** Limits in characters, by canonical tool name. */
  toolOutputLimits?: Record<string, number>;
  /** Limits in lines, by canonical tool name. */
  toolLineLimits?: Record<string, number>;
  /** Limit that a non-standard tool declares. */
  declaredLimit?: OutputLimit;
  /** Maximum number of characters for every tool: its share of a small context window. */
  maxOutputChars?: number;
}

/** Limit of tools that do not declare one. */
const DEFAULT_LIMIT: OutputLimit = { maxChars: 30_000, mode: 'head_tail' };
const declaredLimits = new Map(standardTools.map(({ name, output }) => [name, output]));

/** Characters that are reserved for both markers, which a limit does not count. */
const MARKER_ALLOWANCE_CHARS = 320;

/** Truncates `output` to `maxChars` with a marker for the removed text; shorter output stays unchanged. */
export function truncateChars(output: string, maxChars: number, mode: OutputLimit['mode']): string {
  const retainedCount = Math.max(0, Math.floor(maxChars));
  const formatMarker = (removed: number): string =>
    mode === 'tail'
      ? `[WARNING: Tool output was truncated. First ${removed} characters were removed. The full output is available in the event stream.]\n\n`
      : `\n\n[WARNING: Tool output was truncated. ${removed} characters were removed from the middle. The full output is available in the event stream. If you need to see specific parts, re-run the tool with more targeted parameters.]\n\n`;
  return shortenMiddle(output, retainedCount, formatMarker, mode === 'tail' ? 0 : undefined);
}

/** Retains the first and the last half of `maxLines` lines. A newline at the end does not count as another line. */
export function truncateLines(output: string, maxLines: number): string {
  const retainedCount = Math.max(0, Math.floor(maxLines));
  const ending = output.endsWith('\n') ? '\n' : '';
  const lines = output === '' ? [] : output.slice(0, output.length - ending.length).split('\n');
  if (lines.length <= retainedCount) return output;
  const head = lines.slice(0, Math.floor(retainedCount / 2));
  const tail = lines.slice(lines.length - (retainedCount - head.length));
  return [...head, `[... ${lines.length - retainedCount} lines omitted ...]`, ...tail].join('\n') + ending;
}

/** Returns the limit of a tool. Only own properties count, because names come from the model and may be names of inherited properties. */
const findLimit = (limits: Record<string, number> | undefined, toolName: string): number | undefined =>
  limits && Object.hasOwn(limits, toolName) ? limits[toolName] : undefined;

/**
 * Truncates a tool's output for the model. `toolName` must be canonical. `limits` override the tool's own limit, and `maxOutputChars`
 * applies to all tools.
 */
export function truncateToolOutput(output: string, toolName: string, limits: ToolLimits = {}): string {
  const ownLimit = limits.declaredLimit ?? declaredLimits.get(toolName) ?? DEFAULT_LIMIT;
  const configuredChars = findLimit(limits.toolOutputLimits, toolName) ?? ownLimit.maxChars;
  const maxChars = Math.min(configuredChars, limits.maxOutputChars ?? configuredChars);
  const maxLines = findLimit(limits.toolLineLimits, toolName) ?? ownLimit.maxLines;
  const truncated = truncateChars(output, maxChars, ownLimit.mode);
  return maxLines === undefined ? truncated : truncateLines(truncated, maxLines);
}

/**
 * Returns limits that allow each result at most a quarter of the window, including markers. `charsPerToken`: estimate from the server's
 * token counts.
 */
export function scaleLimits(
  windowTokens: number,
  charsPerToken: number,
  configured: ToolLimits = {},
): ToolLimits {
  const quarterChars = Math.floor((windowTokens * charsPerToken) / 4);
  const maxResultChars = Math.max(0, quarterChars - MARKER_ALLOWANCE_CHARS);
  return {
    ...configured,
    maxOutputChars: Math.min(maxResultChars, configured.maxOutputChars ?? maxResultChars),
  };
}

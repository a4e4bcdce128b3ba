/**
 * Finds the files that define and use identifiers. Reads every file that may contain them; in a large tree, git selects these files. The
 * search pauses after short intervals, so that the worker can serve its connections.
 */
import { setImmediate as nextTurn } from 'node:timers/promises';
import { isCode } from '../../parsing/definitions/languages.ts';
import type { TreeFiles } from './types.ts';

/** Maximum size of all searched files. In a larger tree, the search ends at this size; code is searched first. */
const MAX_SEARCHED_CHARS = 768 * 1024 * 1024;
const SLICE_MS = 15;
/** Number of files from which a search by git takes less time than reading all files. */
const MIN_SEARCHED_FILES = 2_000;

export interface IdentifierHits {
  defines: string[];
  uses: string[];
}

export interface SearchOptions {
  files: TreeFiles;
  paths: readonly string[];
  identifiers: readonly string[];
  signal?: AbortSignal;
}

export async function findIdentifiers({
  files,
  paths,
  identifiers,
  signal,
}: SearchOptions): Promise<Map<string, IdentifierHits>> {
  const hitsByPath = new Map<string, IdentifierHits>();
  if (identifiers.length === 0) return hitsByPath;
  const pattern = buildNamesPattern(identifiers);
  const candidates = paths.length < MIN_SEARCHED_FILES ? undefined : await files.search?.(identifiers);
  const searched = candidates ? paths.filter((path) => candidates.has(path)) : paths;
  const ordered = [...searched.filter(isCode), ...searched.filter((path) => !isCode(path))];
  let chars = 0;
  let sliceEndMs = performance.now() + SLICE_MS;
  for (const path of ordered) {
    if (performance.now() > sliceEndMs) {
      await nextTurn();
      if (signal?.aborted) break;
      sliceEndMs = performance.now() + SLICE_MS;
    }
    const text = files.read(path) ?? '';
    if ((chars += text.length) > MAX_SEARCHED_CHARS) break;
    const hits = findHits(text, pattern);
    if (hits) hitsByPath.set(path, hits);
  }
  return hitsByPath;
}

/** Returns a pattern that matches these names as whole words. */
export const buildNamesPattern = (names: readonly string[]): RegExp =>
  new RegExp(`(?<![\\w$])(?:${names.map(escapeRegExp).join('|')})(?![\\w$])`, 'g');

const escapeRegExp = (text: string): string => text.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`);

const MAX_MATCHES = 2_000;

function findHits(text: string, pattern: RegExp): IdentifierHits | undefined {
  const defines = new Set<string>();
  const uses = new Set<string>();
  let count = 0;
  for (const match of text.matchAll(pattern)) {
    if ((count += 1) > MAX_MATCHES) break;
    const [name] = match;
    if (defines.has(name)) continue;
    if (isDefinition(text, match.index, name)) defines.add(name);
    else uses.add(name);
  }
  for (const name of defines) uses.delete(name);
  return defines.size + uses.size === 0 ? undefined : { defines: [...defines], uses: [...uses] };
}

const DECLARATION_KEYWORD =
  /(?:^|[\s;{(])(?:function\*?|class|def|func(?:\s*\([^()]{0,100}\))?|fn|const|let|var|type|interface|struct|enum|trait|impl|union|module|namespace|static|val|fun|sub|macro_rules!|#define|defp?|defmodule)\s+(?:[\w.]+\.)?$/;

/** Returns whether the name is defined at `index`: a declaring keyword precedes it, or a body or an assigned function follows it. */
function isDefinition(text: string, index: number, name: string): boolean {
  const lineStart = text.lastIndexOf('\n', index - 1) + 1;
  const before = text.slice(Math.max(lineStart, index - 160), index);
  if (DECLARATION_KEYWORD.test(before)) return true;
  const after = text.slice(index + name.length, index + name.length + 200).split('\n', 1)[0] ?? '';
  if (
    /^\s*[:=]\s*(?:async\s+)?(?:function\b|\([^()]{0,160}\)\s*(?::[^=]{0,80})?=>|\w+\s*=>|class\b|lambda\b)/.test(
      after,
    )
  )
    return true;
  // A method or a typed function: only modifiers precede the name, and a body follows.
  const isHead = /^\s*(?:(?:pub\(\w+\)|[\w<>[\]*&:,?]+)\s+)*[*#&]?$/.test(before);
  if (
    isHead &&
    /^\s*(?:<[^<>]{0,80}>)?\([^()]{0,200}\)[^;=]{0,80}\{\s*$/.test(after) &&
    !/\b(?:return|await|if|while|for|switch|else|new)\b/.test(before)
  )
    return true;
  // A constant or a field without indentation.
  return lineStart === index && /^\s*(?::[^=]{0,60})?=[^=]/.test(after);
}

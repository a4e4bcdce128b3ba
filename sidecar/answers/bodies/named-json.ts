/** Bodies that give the name by marks of their own and the arguments as JSON: Mistral, DeepSeek, Kimi, Harmony, GLM. */
import { maxCalls, notRun, type RawCall } from '../result.ts';
import { readArguments, type Body } from './body.ts';

const maxHeaderChars = 400;

/**
 * What stands before the arguments, with the groups `name` and `id`. Always sticky. Calls follow each other, with the
 * dialect's opening mark between them or not.
 */
export function namedJsonBody(header: RegExp, family?: string): Body {
  return ({ source }, at, dialect) => {
    const calls: RawCall[] = [];
    let position = at;
    while (calls.length <= maxCalls) {
      const found = headerAt(source.text, position, header);
      const name = found?.groups?.name;
      if (!found || name === undefined) break;
      const id = found.groups?.id;
      const read = readArguments(source, position + found[0].length, dialect);
      if (!read.ok) return { calls, end: read.end, problem: notRun(name, read.reason) };
      calls.push({ name, arguments: read.arguments, ...read.traces, ...(id !== undefined && { id }) });
      position = source.skipSpace(read.end);
      if (!source.text.startsWith(dialect.open, position) || dialect.close.length > 0) break;
      position += dialect.open.length;
    }
    if (calls.length === 0) return undefined;
    return { calls, end: position, ...(family !== undefined && { family }) };
  };
}

function headerAt(text: string, at: number, header: RegExp): RegExpExecArray | null {
  const head = text.slice(at, at + maxHeaderChars);
  header.lastIndex = 0;
  return header.exec(head);
}

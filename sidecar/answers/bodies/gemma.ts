/** Gemma's own notation: `call:NAME{k:<|"|>text<|"|>,n:1}`. */
import { readLiteral } from '../../values/literal.ts';
import type { RawCall } from '../result.ts';
import { nameEnd } from '../source.ts';
import type { Body } from './body.ts';

const prefix = 'call:';
const problem = 'the arguments of the call are cut off or unreadable';

/** `mark` stands before and after each text. */
export function gemmaBody(mark: string): Body {
  return ({ source }, at) => {
    const calls: RawCall[] = [];
    let position = source.skipSpace(at);
    while (source.text.startsWith(prefix, position)) {
      const start = source.skipSpace(position + prefix.length);
      const plain = nameEnd(source.text, start);
      // Past a prefix such as `default_api:`.
      const end = source.text[plain] === ':' ? nameEnd(source.text, plain + 1) : plain;
      const open = source.skipSpace(end);
      if (end === start || source.text[open] !== '{') break;
      const read = readLiteral(source.text, open, { textMark: mark });
      if (!read.ok) {
        source.countFailure(read.at - open);
        return { calls, end: open + 1, problem };
      }
      calls.push({ name: source.text.slice(start, end), arguments: read.value, isText: true });
      position = source.skipSpace(read.end);
    }
    return calls.length > 0 ? { calls, end: position } : undefined;
  };
}

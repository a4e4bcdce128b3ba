/** The TypeScript compiler, plain and `--pretty`. */
import { joinMessage } from '../failure-text.ts';
import type { Reader } from '../types.ts';

const PLAIN = /^([^\s(][^(]{0,400})\((\d+),\d+\): error (TS\d+: .+)$/;
const PRETTY = /^(\S.{0,400}?):(\d+):\d+ - error (TS\d+: .+)$/;
const GLOBAL = /^error (TS\d+: .+)$/;

export const tscReader: Reader = {
  runner: 'tsc',
  recognises: ({ lines }) => lines.some((line) => PLAIN.test(line) || PRETTY.test(line) || GLOBAL.test(line)),
  read({ lines, paths }) {
    const errors = lines.flatMap((line, index) => {
      const [, file, number, said] = PLAIN.exec(line) ?? PRETTY.exec(line) ?? [];
      const message = said ?? GLOBAL.exec(line)?.[1];
      if (message === undefined) return [];
      const place = paths.place(file, number);
      // Why, in indented lines below; the pretty form shows code there, behind an empty line.
      const below: string[] = [];
      for (let at = index + 1; /^ {2,}\S/.test(lines[at] ?? '') && below.length < 4; at += 1)
        below.push(lines[at] ?? '');
      return [{ message: joinMessage([message, ...below], paths), place }];
    });
    return { failed: [], errors };
  },
};

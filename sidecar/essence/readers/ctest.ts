/** CTest; the output of failing tests as well, if it was asked for. */
import { joinMessage, linesUntil } from '../failure-text.ts';
import type { Reader, Reading } from '../types.ts';

const RESULT = /^ *\d+\/\d+ Test +#\d+: (.+?) \.{2,} *(Passed|\*\*\*[A-Z][\w :]*?) +[\d.]+ sec/;
const TOTALS = /^\d+% tests passed, \d+ tests? failed out of \d+$|^No tests were found!!!$/;

export const ctestReader: Reader = {
  runner: 'CTest',
  recognises: ({ lines }) => lines.some((line) => TOTALS.test(line) || RESULT.test(line)),
  read({ lines, paths }) {
    const reading: Reading = { passed: 0, failed: [], errors: [] };
    for (const [index, line] of lines.entries()) {
      const [, name, ending] = RESULT.exec(line) ?? [];
      if (name === undefined || ending === undefined || ending === '***Skipped') continue;
      if (ending === 'Passed') reading.passed = (reading.passed ?? 0) + 1;
      else {
        const said = linesUntil(
          lines,
          index + 1,
          (text) => RESULT.test(text) || TOTALS.test(text) || /^ +Start +\d+: /.test(text),
        );
        const message = joinMessage(
          [ending.slice(3), ...said].filter((text) => text !== 'Failed'),
          paths,
        );
        reading.failed.push({ name, message: message || undefined, frame: paths.firstFrame(said) });
      }
    }
    return reading;
  },
};

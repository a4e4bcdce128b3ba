import { describe, expect, test } from '@jest/globals';
import * as fc from '../support/properties.ts';
import {
  scaleLimits,
  truncateChars,
  truncateLines,
  truncateToolOutput,
} from '../../sidecar/tools/truncation.ts';

const numbered = (count: number): string =>
  Array.from({ length: count }, (_, index) => `line ${index + 1}`).join('\n');

describe('truncating characters', () => {
  test('output within the limit comes back as it is', () => {
    expect(truncateChars('abc', 3, 'head_tail')).toBe('abc');
  });

  test('head_tail keeps the first and the last half around a note', () => {
    expect(truncateChars('aaaaabbbbbccccc', 10, 'head_tail')).toBe(
      'aaaaa\n\n[WARNING: Tool output was truncated. 5 characters were removed from the middle. The full output is available in the event stream. If you need to see specific parts, re-run the tool with more targeted parameters.]\n\nccccc',
    );
  });

  test('tail drops the beginning', () => {
    expect(truncateChars('aaaaabbbbb', 4, 'tail')).toBe(
      '[WARNING: Tool output was truncated. First 6 characters were removed. The full output is available in the event stream.]\n\nbbbb',
    );
  });

  test('a cut never splits a surrogate pair', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: 'grapheme', minLength: 20, maxLength: 200 }),
        fc.nat(60),
        fc.constantFrom('head_tail' as const, 'tail' as const),
        (text, limit, mode) => {
          const cut = truncateChars(`${text}${'😀'.repeat(60)}`, limit, mode);
          expect(() => encodeURIComponent(cut)).not.toThrow();
        },
      ),
    );
  });

  test('what was kept and what the note says was removed make up the whole', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 300 }), fc.nat(100), (text, limit) => {
        const cut = truncateChars(text, limit, 'head_tail');
        const match = /\n\n\[WARNING: Tool output was truncated\. (\d+) characters[^\]]*\]\n\n/.exec(cut);
        if (!match) return text.length <= limit;
        const kept = cut.length - match[0].length;
        return kept <= limit && kept + Number(match[1]) === text.length;
      }),
    );
  });
});

describe('truncating lines', () => {
  test('keeps head and tail lines around a note', () => {
    expect(truncateLines(numbered(10), 4)).toBe('line 1\nline 2\n[... 6 lines omitted ...]\nline 9\nline 10');
  });

  test('an odd limit gives the larger half to the tail', () => {
    expect(truncateLines(numbered(10), 3)).toBe('line 1\n[... 7 lines omitted ...]\nline 9\nline 10');
  });

  test('a newline at the end begins no line, and stays', () => {
    expect(truncateLines('a\nb\n', 2)).toBe('a\nb\n');
    expect(truncateLines('a\nb\nc\nd\n', 2)).toBe('a\n[... 2 lines omitted ...]\nd\n');
  });

  test('no lines at all may be kept', () => {
    expect(truncateLines('a\nb', 0)).toBe('[... 2 lines omitted ...]');
    expect(truncateLines('', 0)).toBe('');
  });
});

describe("a tool's output", () => {
  test.each([
    ['read_file', 50_000, 'middle'],
    ['shell', 30_000, 'middle'],
    ['grep', 20_000, 'First'],
    ['glob', 20_000, 'First'],
    ['list_directory', 20_000, 'First'],
    ['edit_file', 10_000, 'First'],
    ['apply_patch', 10_000, 'First'],
    ['write_file', 10_000, 'First'],
    ['something_else', 30_000, 'middle'],
  ])('%s keeps %i characters', (tool, limit, where) => {
    expect(truncateToolOutput('x'.repeat(limit), tool)).toHaveLength(limit);
    const cut = truncateToolOutput('x'.repeat(limit + 7), tool);
    expect(cut).toContain(where);
    expect(cut).toContain(' 7 characters');
    expect(cut.match(/x/g)!.length - (cut.match(/[a-wyz]x|x[a-wyz]/g)?.length ?? 0)).toBe(limit);
  });

  test.each([
    ['shell', 256],
    ['grep', 200],
    ['glob', 500],
    ['list_directory', 500],
  ])('%s keeps %i lines', (tool, limit) => {
    expect(truncateToolOutput(numbered(limit), tool)).toBe(numbered(limit));
    expect(truncateToolOutput(numbered(limit + 3), tool)).toContain('[... 3 lines omitted ...]');
  });

  test('characters are cut before lines', () => {
    const cut = truncateToolOutput('ab\n'.repeat(20_000), 'shell');
    expect(cut).toMatch(/\[\.\.\. \d+ lines omitted \.\.\.\]/);
    expect(cut).not.toContain('WARNING');
  });

  test('limits that are given win', () => {
    const limits = { toolOutputLimits: { shell: 10 }, toolLineLimits: { read_file: 2 } };
    expect(truncateToolOutput('x'.repeat(12), 'shell', limits)).toContain('2 characters');
    expect(truncateToolOutput('a\nb\nc', 'read_file', limits)).toBe('a\n[... 1 lines omitted ...]\nc');
  });

  test('never takes more than a quarter of a small window, markers included', () => {
    const limits = scaleLimits(4096, 3.5, { toolOutputLimits: { shell: 25_000 } });
    for (const tool of ['read_file', 'shell', 'grep', 'other']) {
      expect(truncateToolOutput('x\n'.repeat(100_000), tool, limits).length).toBeLessThanOrEqual(
        (4096 * 3.5) / 4,
      );
    }
  });

  test('keeps its own limits in a large window', () => {
    expect(truncateToolOutput('x'.repeat(50_000), 'read_file', scaleLimits(128_000, 4))).toHaveLength(50_000);
  });
});

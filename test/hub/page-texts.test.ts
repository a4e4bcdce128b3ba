/** Patches as lines, and figures, times and texts as people read them. */
import { expect, test } from '@jest/globals';
import type { Json } from './hub-fixture.ts';
import { load } from './page-modules.ts';

test('what a worker wrote is shown as text, whatever it is', async () => {
  const { textOf } = await load('lenient.js');
  const shown = ['as it is', undefined, null, 3, false, { a: [1] }].map((value) => textOf(value));
  expect(shown).toEqual(['as it is', '', '', '3', 'false', '{"a":[1]}']);
});

test('a patch is read by file, with added, removed and unchanged lines', async () => {
  const { parsePatch } = await load('diff.js');
  const patch = [
    'diff --git a/one.ts b/one.ts',
    '--- a/one.ts',
    '+++ b/one.ts',
    '@@ -1,2 +1,2 @@',
    ' same',
    '-old',
    '--- an old comment',
    '+new',
    'diff --git "a/sp ace.ts" "b/sp ace.ts"',
    'new file mode 100644',
    '@@ -0,0 +1 @@',
    '+only',
    '',
  ].join('\n');
  expect(parsePatch(patch)).toEqual([
    {
      path: 'one.ts',
      lines: [
        { kind: 'hunk', text: '@@ -1,2 +1,2 @@' },
        { kind: 'same', text: ' same' },
        { kind: 'removed', text: '-old' },
        { kind: 'removed', text: '--- an old comment' },
        { kind: 'added', text: '+new' },
      ],
    },
    {
      path: 'sp ace.ts',
      lines: [
        { kind: 'meta', text: 'new file mode 100644' },
        { kind: 'hunk', text: '@@ -0,0 +1 @@' },
        { kind: 'added', text: '+only' },
      ],
    },
  ]);
});

test('an axis has a handful of ticks, also where a clock jumped by years', async () => {
  const { axisTicks } = await load('format.js');
  for (const spanMs of [1, 40, 12_345, 3_600_000, 40 * 86_400_000, Date.UTC(2026, 0), 9e15]) {
    const ticks = axisTicks(spanMs);
    expect([spanMs, ticks.length <= 7]).toEqual([spanMs, true]);
    expect(ticks.every((tick: Json) => tick.at >= 0 && tick.at <= spanMs)).toBe(true);
  }
  expect(axisTicks(10_000).map((tick: Json) => tick.label)).toEqual(['0', '5 s', '10 s']);
});

test('figures read well', async () => {
  const { ago, bytes, clockTime, count, duration, usd } = await load('format.js');
  expect([count(950), count(1_234), count(3_400_000), count(null)]).toEqual(['950', '1.2k', '3.4M', '–']);
  expect([duration(12), duration(3_400), duration(125_000), duration(4_800_000)]).toEqual([
    '12 ms',
    '3.4 s',
    '2 m 05 s',
    '1 h 20 m',
  ]);
  expect([clockTime(12, 5), clockTime(5_000, 1_000), clockTime(7_384_000, 2_000)]).toEqual([
    '0.012 s',
    '5 s',
    '2:03:04',
  ]);
  expect([usd(0), usd(0.0021), usd(1.5)]).toEqual(['$0', '$0.0021', '$1.50']);
  expect([bytes(512), bytes(24 * 1024 ** 3)]).toEqual(['512 B', '24 GB']);
  expect([ago(0, 1_000), ago(0, 61_000), ago(0, 7_200_000)]).toEqual(['just now', '1 m ago', '2 h ago']);
});

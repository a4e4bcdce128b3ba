import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { attemptEndings } from '../../sidecar/hub/queue/attempts.ts';
import { terminationReasons, describeTermination } from '../../sidecar/base/protocol/result.ts';
import { eventually } from '../support/eventually.ts';
import { testHub, type Json, type TestHub } from './hub-fixture.ts';
import { load } from './page-modules.ts';

/** Patches as lines, and figures, times and texts as people read them. */
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
  const { computeTicks: axisTicks } = await load('format.js');
  for (const spanMs of [1, 40, 12_345, 3_600_000, 40 * 86_400_000, Date.UTC(2026, 0), 9e15]) {
    const ticks = axisTicks(spanMs);
    expect([spanMs, ticks.length <= 7]).toEqual([spanMs, true]);
    expect(ticks.every((tick: Json) => tick.at >= 0 && tick.at <= spanMs)).toBe(true);
  }
  expect(axisTicks(10_000).map((tick: Json) => tick.label)).toEqual(['0', '5 s', '10 s']);
});

test('figures read well', async () => {
  const {
    formatAge: ago,
    formatBytes: bytes,
    formatClockTime: clockTime,
    formatCount: count,
    formatDuration: duration,
    formatUsd: usd,
  } = await load('format.js');
  expect([count(950), count(1_234), count(3_400_000), count(null)]).toEqual(['950', '1.2k', '3.4M', '–']);
  expect([duration(12), duration(3_400), duration(125_000), duration(4_800_000)]).toEqual([
    '12 ms',
    '3.4 s',
    '2 m 05 s',
    '1 h 20 m',
  ]);
  expect([clockTime(12, 5), clockTime(5_000, 1_000), clockTime(7_384_000, 2_000)]).toEqual([
    '12 ms',
    '5 s',
    '2:03:04',
  ]);
  expect([usd(0), usd(0.0021), usd(1.5)]).toEqual(['$0', '$0.0021', '$1.50']);
  expect([bytes(512), bytes(24 * 1024 ** 3)]).toEqual(['512 B', '24 GiB']);
  expect([ago(0, 1_000), ago(0, 61_000), ago(0, 7_200_000)]).toEqual(['just now', '1 m ago', '2 h ago']);
});

/** What the page says of failed tasks. */
describe('dashboard advice', () => {
  const root = new URL('../../', import.meta.url);
  const load = async (): Promise<Json> => import(new URL('sidecar/hub/dashboard/page/explain.js', root).href);

  test('an error is explained by its code, wherever it stands, else by why the work ended', async () => {
    const { explain } = await load();
    expect(explain('model_not_found: no x')).toMatchObject({
      code: 'model_not_found',
      means: 'the model is not installed',
      todo: 'download it with models pull NAME, or set ollama.autoPull',
    });
    expect(explain('model_error after 2 iterations: model_timeout: slow')).toMatchObject({
      code: 'model_timeout',
    });
    expect(explain('stall after 2 iterations')).toMatchObject({ code: 'stall' });
    expect(explain('stall after 1 iteration: nothing')).toEqual({
      code: 'stall',
      means: 'the model made no progress',
    });
    for (const error of [
      '',
      'x',
      'toString: x',
      '__proto__ after 1 iterations: constructor: x',
      'what: ever',
    ]) {
      expect(explain(error)).toEqual({});
    }
  });

  test('why work and attempts ended is said in the words of the command line, never by a code', async () => {
    const { describeAttemptEnding: attemptEndingText, describeEnding: endingText } = await load();
    for (const reason of terminationReasons) expect(endingText(reason)).toBe(describeTermination(reason));
    for (const [ending, text] of Object.entries(attemptEndings)) expect(attemptEndingText(ending)).toBe(text);
    expect(attemptEndingText(null)).toBe('runs');
    expect(attemptEndingText('constructor')).toBe('constructor');
  });
});

/** What the page hears of the hub: its feed against a real hub, without a browser. */
describe('dashboard feed', () => {
  const page = new URL('../../sidecar/hub/dashboard/page/', import.meta.url);
  let hub: TestHub;
  let feed: Json;
  const fetchAnywhere = globalThis.fetch;

  beforeEach(async () => {
    hub = await testHub();
    globalThis.fetch = (path, init) => fetchAnywhere(new URL(path, hub.hub.url), init);
    const sessionStorage = { getItem: () => hub.hub.tokens.admin };
    Object.defineProperty(globalThis, 'sessionStorage', { value: sessionStorage, configurable: true });
  });
  afterEach(() => {
    feed?.stop();
    globalThis.fetch = fetchAnywhere;
  });

  test('a task that is left and opened again is told of from its first event', async () => {
    const taskId = await hub.submit();
    const { Feed }: Json = await import(new URL('feed.js', page).href);
    const told: string[] = [];
    const ignore = () => undefined;
    feed = new Feed({
      onTasks: ignore,
      onWorkers: ignore,
      onWorker: ignore,
      onTask: ignore,
      onRefused: ignore,
      onConnection: (state: string) => told.push(state),
      onDetail: (_detail: Json, { fresh }: { fresh: boolean }) => told.push(fresh ? 'fresh' : 'known'),
      onTaskEvent: (event: Json) => told.push(event.body.reason),
    });
    const expectTold = async (expected: string[]) => {
      await eventually(() => told.includes('live'), 'a live stream');
      expect(told.splice(0)).toEqual(expected);
    };
    feed.start({ taskId });
    await expectTold(['fresh', 'submitted', 'live']);
    feed.start({ filters: { status: 'queued' } });
    await expectTold(['known', 'live']);
    feed.start({ taskId: undefined });
    await expectTold(['live']);
    feed.start({ taskId });
    await expectTold(['fresh', 'submitted', 'live']);
  });
});

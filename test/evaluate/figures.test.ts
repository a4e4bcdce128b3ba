import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterEach, describe, expect, test } from '@jest/globals';
import { measuredRates } from '../../sidecar/evaluate/measured-rates.ts';
import type { RunRecord } from '../../sidecar/evaluate/record.ts';
import { startRecordingProxy } from '../../sidecar/evaluate/recording-proxy.ts';
import { reportPage } from '../../sidecar/evaluate/report.ts';
import { comparePaired, estimate } from '../../sidecar/evaluate/statistics.ts';
import { summarise, type EvaluationSettings, type ModelSummary } from '../../sidecar/evaluate/summary.ts';
import { splitVariant } from '../../sidecar/evaluate/variant.ts';
import { writeProfiles, type Candidate } from '../../sidecar/evaluate/write-profile.ts';
import { CleanupStack } from '../../sidecar/system/cleanup-stack.ts';
import { evaluationRecord } from '../support/evaluation-record.ts';
import { say, testModel } from '../support/scripted-model.ts';
import { tempFolders } from '../support/temp-folder.ts';

describe('estimates', () => {
  test('the mean counts each task once, however often it was run', () => {
    expect(estimate([[1, 1, 1], [0]]).mean).toBe(0.5);
  });

  test('the interval holds the mean, is the same each time, and shrinks with more tasks', () => {
    const few = estimate(Array.from({ length: 10 }, (_value, index) => [index % 2]));
    const many = estimate(Array.from({ length: 200 }, (_value, index) => [index % 2]));
    expect(few.low).toBeLessThan(0.5);
    expect(few.high).toBeGreaterThan(0.5);
    expect(many.high - many.low).toBeLessThan(few.high - few.low);
    // The normal approximation of 200 halves: 0.5 ± 1.645 × 0.0354.
    expect(many.low).toBeCloseTo(0.442, 1);
    expect(estimate([[1], [0], [1]])).toEqual(estimate([[1], [0], [1]]));
  });

  test('nothing to estimate is 0', () => {
    expect(estimate([])).toEqual({ mean: 0, low: 0, high: 0 });
  });
});

describe('comparisons', () => {
  const pairs = (better: number, same: number): [number, number][] => [
    ...Array.from({ length: better }, (): [number, number] => [1, 0]),
    ...Array.from({ length: same }, (): [number, number] => [1, 1]),
  ];

  test('one task of thirty may be noise, ten of thirty are not', () => {
    expect(comparePaired(pairs(1, 29))).toMatchObject({ tasks: 30, isReal: false });
    expect(comparePaired(pairs(10, 20))).toMatchObject({ tasks: 30, isReal: true, p: 0 });
  });

  test('with few tasks nothing is called a difference', () => {
    expect(comparePaired(pairs(2, 0)).isReal).toBe(false);
    expect(comparePaired([])).toMatchObject({ tasks: 0, isReal: false, p: 1 });
  });

  test('what goes both ways is noise', () => {
    const both: [number, number][] = [
      ...pairs(8, 0),
      ...pairs(8, 0).map(([a, b]): [number, number] => [b, a]),
    ];
    const compared = comparePaired(both);
    expect(compared.difference.mean).toBe(0);
    expect(compared.isReal).toBe(false);
    expect(compared.p).toBeGreaterThan(0.5);
  });
});

const hostile = '"><script>alert(1)</script>\u0007';
const record: RunRecord = {
  task: 'js-add',
  kind: 'fix',
  language: 'javascript',
  run: 1,
  model: hostile,
  strategy: 'loop',
  at: '2026-01-01T00:00:00.000Z',
  solved: false,
  claimed: 'success',
  falseSuccess: true,
  changed: true,
  seconds: 3,
  tokensIn: 100,
  tokensOut: 20,
  calls: 2,
  malformed: 1,
  termination: 'final_answer',
  verification: 'verified',
  checks: { passed: 1, total: 1 },
  session: 'data/sessions/2026-01-01T00:00:00.000Z',
  why: hostile,
  timeline: [
    { what: 'tool', fromMs: -5, toMs: 9_000_000, label: hostile },
    { what: 'draft', fromMs: 0, toMs: 1_000, label: hostile },
  ],
};
const settings: EvaluationSettings = {
  suite: `/tmp/${hostile}`,
  models: [hostile],
  runs: 1,
  set: { key: hostile },
  timeoutSeconds: 600,
  program: 'ollama-sidecar',
  startedAt: '2026-01-01T00:00:00.000Z',
};
const page = reportPage({ settings, records: [record], summaries: summarise([record]) });

test('nothing that came from outside is markup, and nothing is loaded from elsewhere', () => {
  expect(page).not.toContain('<script');
  expect(page).not.toContain('\u0007');
  expect(page).not.toMatch(/(?:src|href)="(?!\.\/)/u);
  expect(page).not.toMatch(/url\(|@import|https?:/u);
  expect(page).toContain("default-src 'none'");
});

test('a run leads to its session, by a path that a browser takes', () => {
  expect(page).toContain('href="./data/sessions/2026-01-01T00%3A00%3A00.000Z/chat_history.log"');
});

test('a draft is drawn around the call and the checks that it spans', () => {
  expect(page.indexOf('class="draft" x=')).toBeGreaterThan(0);
  expect(page.indexOf('class="draft" x=')).toBeLessThan(page.indexOf('class="tool" x='));
});

test('stretches that do not fit their run stay within the chart', () => {
  const widths = [...page.matchAll(/<rect class="tool" x="([\d.]+)" y="\d+" width="([\d.]+)"/gu)];
  expect(widths).toHaveLength(1);
  for (const [, x, width] of widths) expect(Number(x) + Number(width)).toBeLessThanOrEqual(881);
});

/** What models were measured to solve, from the evaluations on this machine. */
describe('measured rates', () => {
  const folder = tempFolders();

  function evaluation(
    root: string,
    name: string,
    solved: Record<string, boolean[]>,
    more: object = {},
  ): void {
    const records = Object.entries(solved).flatMap(([model, runs]) =>
      runs.map((isSolved, index) => evaluationRecord({ model, run: index + 1, solved: isSolved })),
    );
    const settings = {
      suite: 's',
      models: Object.keys(solved),
      runs: 2,
      timeoutSeconds: 60,
      program: 'x',
      startedAt: name,
      ...more,
    };
    mkdirSync(join(root, name));
    writeFileSync(join(root, name, 'result.json'), JSON.stringify({ settings, records }));
  }

  test('are the newest of each model, of this program, that can be read', async () => {
    const root = folder();
    evaluation(root, '2026-01-01', { a: [false, false], b: [true, true] });
    evaluation(root, '2026-02-01', { a: [true, false] });
    evaluation(root, '2026-03-01', { b: [false, false] }, { harness: 'other program' });
    mkdirSync(join(root, '2026-04-01'));
    mkdirSync(join(root, '2026-05-01'));
    writeFileSync(join(root, '2026-05-01', 'result.json'), '{');
    const rates = await measuredRates(root);
    expect(Object.fromEntries(rates)).toEqual({
      a: { solved: 0.5, runs: 2, at: '2026-02-01' },
      b: { solved: 1, runs: 2, at: '2026-01-01' },
    });
  });

  test('are none where nothing was measured', async () => {
    expect((await measuredRates(join(folder(), 'none'))).size).toBe(0);
  });
});

/** Settings of a variant: those of the model's entry, and those of the configuration. */
test('keys of a profile go to the entry, all others to the configuration', () => {
  const set = {
    'solving.drafts': '2',
    'solving.attempts': '4',
    toolMode: 'text',
    'model.ladder': 'a,b',
    'options.temperature': '0',
  };
  expect(splitVariant(set)).toEqual({
    configuration: ['solving.attempts=4', 'model.ladder=a,b'],
    entry: { 'solving.drafts': '2', toolMode: 'text', 'options.temperature': '0' },
  });
});

describe('write profile', () => {
  const folder = tempFolders();
  const candidate = (solved: number, seconds: number, settings: Partial<EvaluationSettings>): Candidate => ({
    settings: {
      suite: '',
      models: ['m'],
      runs: 1,
      set: {},
      timeoutSeconds: 1,
      program: '',
      startedAt: '',
      ...settings,
    },
    summary: { model: 'm', solved: { mean: solved }, seconds: { mean: seconds } } as ModelSummary,
  });

  test('writes the settings that solved most, and leaves all else of the file as it is', async () => {
    const file = join(folder(), 'config/models.json');
    await mkdir(join(file, '..'));
    const own = { models: { other: { keepAlive: '1h' }, m: { keepAlive: '5m', solving: { repairs: 1 } } } };
    await writeFile(file, JSON.stringify(own));
    const written = await writeProfiles(
      [
        candidate(0.4, 10, { strategy: 'loop' }),
        candidate(0.6, 30, {
          strategy: 'drafts',
          set: { 'solving.drafts': '8', 'model.toolMode': 'structured' },
        }),
        candidate(0.6, 40, { strategy: 'auto' }),
        candidate(0.9, 1, { harness: 'other' }),
      ],
      file,
    );
    expect(written).toMatchObject([{ model: 'm', solved: 0.6, candidates: 3 }]);
    expect(JSON.parse(await readFile(file, 'utf8'))).toEqual({
      models: {
        other: { keepAlive: '1h' },
        m: {
          keepAlive: '5m',
          toolMode: 'structured',
          solving: { repairs: 1, strategy: 'drafts', drafts: 8 },
        },
      },
    });
  });

  test('writes nothing where the defaults were best, and refuses what the catalogue would', async () => {
    const file = join(folder(), 'models.json');
    expect(await writeProfiles([candidate(0.5, 1, {})], file)).toMatchObject([{ keys: {} }]);
    expect(existsSync(file)).toBe(false);
    const wrong = candidate(1, 1, { set: { 'solving.drafts': 'many' } });
    await expect(writeProfiles([wrong], file)).rejects.toMatchObject({ code: 'catalog_invalid' });
    expect(existsSync(file)).toBe(false);
  });
});

describe('recording proxy', () => {
  const opened = new CleanupStack();
  afterEach(() => opened.close());

  async function proxyTo(url: string) {
    const proxy = await startRecordingProxy(url);
    opened.add(() => proxy.close());
    return proxy;
  }

  const post = (url: string, body: object): Promise<Response> =>
    fetch(url, { method: 'POST', body: JSON.stringify(body) });

  /** Answers like `/v1/chat/completions`; keeps what it was asked. */
  async function openAiServer() {
    const asked: { stream_options?: object }[] = [];
    const server = createServer((request, response) => {
      let text = '';
      request.on('data', (chunk: Buffer) => (text += chunk.toString()));
      request.on('end', () => {
        asked.push(JSON.parse(text) as object);
        response.writeHead(200, { 'content-type': 'text/event-stream' });
        response.write('data: {"choices":[{"delta":{"content":"Hé"}}]}\n\nda');
        response.write('ta: {"choices":[],"usage":{"prompt_tokens":11,"completion_tokens":7}}\n\n');
        response.end('data: [DONE]\n\n');
      });
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    opened.add(() => new Promise<void>((resolve) => server.close(() => resolve())));
    return { asked, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
  }

  describe('the recording proxy', () => {
    test.each([true, false])('counts what Ollama says of a chat, streamed: %s', async (stream) => {
      const model = await testModel({
        models: [{ name: 'm' }],
        turns: [{ ...say('Hello.'), tokensIn: 40, tokensOut: 5 }],
      });
      const proxy = await proxyTo(model.url);
      const body = { model: 'm', stream, messages: [{ role: 'user', content: 'Hi' }] };
      // The first call would tell of the model's loading.
      await post(`${model.url}/api/chat`, body);
      const direct = await (await post(`${model.url}/api/chat`, body)).text();
      const passed = await (await post(`${proxy.url}/api/chat`, body)).text();
      const withoutTime = (text: string): string => text.replaceAll(/"created_at":"[^"]*"/gu, '');
      expect(withoutTime(passed)).toBe(withoutTime(direct));
      expect(proxy.totals).toMatchObject({ calls: 1, tokensIn: 40, tokensOut: 5 });
      expect(await (await fetch(`${proxy.url}/api/version`)).json()).toHaveProperty('version');
      expect(proxy.totals.calls).toBe(1);
    });

    test('asks a stream of /v1 for its usage and keeps that part back', async () => {
      const server = await openAiServer();
      const proxy = await proxyTo(server.url);
      const text = await (await post(`${proxy.url}/v1/chat/completions`, { stream: true })).text();
      expect(server.asked).toEqual([{ stream: true, stream_options: { include_usage: true } }]);
      expect(text).toBe('data: {"choices":[{"delta":{"content":"Hé"}}]}\n\n\ndata: [DONE]\n\n');
      expect(proxy.totals).toMatchObject({ calls: 1, tokensIn: 11, tokensOut: 7 });
    });

    test('a program that asked for the usage gets it', async () => {
      const proxy = await proxyTo((await openAiServer()).url);
      const body = { stream: true, stream_options: { include_usage: true } };
      expect(await (await post(`${proxy.url}/v1/chat/completions`, body)).text()).toContain('prompt_tokens');
    });

    test('a server that is not there is a 502 that says so', async () => {
      const proxy = await proxyTo('http://127.0.0.1:9');
      const answer = await post(`${proxy.url}/api/chat`, {});
      expect(answer.status).toBe(502);
      expect(await answer.text()).toContain('cannot reach');
    });
  });
});

import { expect, test } from '@jest/globals';
import type { RunRecord } from '../../sidecar/evaluate/record.ts';
import { reportPage } from '../../sidecar/evaluate/report.ts';
import { summarise, type EvaluationSettings } from '../../sidecar/evaluate/summary.ts';

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

/**
 * A queue of 40 tasks on one card: tasks an hour, how much of the time a slot works while tasks wait, swaps of the model,
 * and how much of the prompts is read twice. Time is the clock's of `support/jump-clock`: the program's own work takes none
 * of it and is told apart.
 */
import type { ConfigInput } from '../sidecar/base/config/schema.ts';
import { startChild } from './support/child.ts';
import { median, MIB, type Figure } from './support/measure.ts';
import type { ThroughputAnswer, ThroughputOptions } from './support/throughput-process.ts';

const TASKS = Number(process.env.BENCH_TASKS ?? 40);
const ROUNDS = 5;
/** A row takes a minute or two on a quiet machine. */
const ROW_TIMEOUT_MS = 1_800_000;

interface Row {
  slots: number;
  checkMs: number;
  models: number;
}

/** Each slot count with each length of the checks, and one row without swaps. */
const ROWS: Row[] = [
  ...[1, 2, 4].flatMap((slots) => [200, 3_000, 20_000].map((checkMs) => ({ slots, checkMs, models: 2 }))),
  { slots: 1, checkMs: 3_000, models: 1 },
];

export async function bench(): Promise<Figure[]> {
  const figures: Figure[] = [];
  const wanted = process.env.BENCH_ROWS?.split(' ');
  for (const row of ROWS) {
    const name = `${row.slots} ${row.slots === 1 ? 'slot' : 'slots'}, checks of ${row.checkMs / 1_000} s${row.models === 1 ? ', one model' : ''}`;
    if (wanted && !wanted.includes(`${row.slots}/${row.checkMs}/${row.models}`)) continue;
    const fixedAt = { concurrency: row.slots, queueSize: 2 };
    const aloneMs = slowestMs(await measure(row, fixedAt, 1));
    const fixed = await measure(row, fixedAt);
    figures.push(...figuresOf(`${name}: a task for each slot`, row, fixed, aloneMs));
    const auto = await measure(row, { concurrency: 'auto', autoLimit: TASKS });
    figures.push(...figuresOf(`${name}: auto`, row, auto, aloneMs));
  }
  return figures;
}

async function measure(
  { slots, checkMs, models }: Row,
  worker: ConfigInput['worker'],
  tasks = TASKS,
): Promise<ThroughputAnswer> {
  const options: ThroughputOptions = {
    tasks,
    rounds: ROUNDS,
    checkMs,
    slots,
    models,
    config: { ollama: { slots }, worker },
  };
  const child = await startChild('support/throughput-process', options, ROW_TIMEOUT_MS);
  try {
    return (await child.ask({ kind: 'measure' })) as ThroughputAnswer;
  } finally {
    await child.end();
  }
}

function figuresOf(name: string, { slots }: Row, answer: ThroughputAnswer, aloneMs: number): Figure[] {
  const failed = answer.endings.find((ending) => ending !== 'final_answer');
  if (failed) return [{ name, value: null, unit: '', note: `a task ended with ${failed}` }];
  const { works, queueMs, wallMs, cpuMs, rssBytes } = answer;
  const spans = spansOf(answer);
  const sum = (of: (work: (typeof works)[number]) => number) =>
    works.reduce((total, work) => total + of(work), 0);
  const prompt = sum(({ promptTokens }) => promptTokens);
  return [
    {
      name,
      value: (TASKS * 3_600_000) / queueMs,
      unit: 'tasks/h',
      note: [
        `busy ${percent(busyShare(answer, slots))}`,
        `swaps ${works.filter(({ isLoad }) => isLoad).length}`,
        `read twice ${percent(sum(({ readAgainTokens }) => readAgainTokens) / prompt)}`,
        `prompt ${Math.round(prompt / works.filter(({ isLoad }) => !isLoad).length)} tokens`,
        `a task ${(median(spans.map(({ fromMs, toMs }) => toMs - fromMs)) / 1_000).toFixed(0)} s`,
        `alone ${(aloneMs / 1_000).toFixed(0)} s, the slowest ${(slowestMs(answer) / aloneMs).toFixed(2)} times that`,
        `at once ${Math.max(...spans.map((one) => spans.filter(({ fromMs, toMs }) => fromMs <= one.fromMs && one.fromMs < toMs).length))}`,
        `memory ${(rssBytes / MIB).toFixed(0)} MiB`,
        `really ${(wallMs / 1_000).toFixed(0)} s, CPU ${(cpuMs / TASKS).toFixed(0)} ms a task`,
      ].join(', '),
    },
  ];
}

/** Of each task, from its first question to its last answer. */
function spansOf({ works }: Pick<ThroughputAnswer, 'works'>): { fromMs: number; toMs: number }[] {
  const spans = new Map<string, { fromMs: number; toMs: number }>();
  for (const { conversation, askedMs, endedMs, isLoad } of works) {
    if (isLoad) continue;
    const { fromMs, toMs } = spans.get(conversation) ?? { fromMs: Infinity, toMs: 0 };
    spans.set(conversation, { fromMs: Math.min(fromMs, askedMs), toMs: Math.max(toMs, endedMs) });
  }
  return [...spans.values()];
}

const slowestMs = (answer: Pick<ThroughputAnswer, 'works'>): number =>
  Math.max(...spansOf(answer).map(({ fromMs, toMs }) => toMs - fromMs));

/** How much of the slots' time is work, loads included, from the first question until the last task asks its first one. */
function busyShare({ works }: Pick<ThroughputAnswer, 'works'>, slots: number): number {
  const first = spansOf({ works }).map((span) => span.fromMs);
  const fromMs = Math.min(...first);
  const untilMs = Math.max(...first);
  const busyMs = works.reduce((total, { startedMs, endedMs, isLoad }) => {
    const workMs = Math.max(0, Math.min(endedMs, untilMs) - Math.max(startedMs, fromMs));
    // A load keeps all slots from working.
    return total + workMs * (isLoad ? slots : 1);
  }, 0);
  return busyMs / ((untilMs - fromMs) * slots);
}

const percent = (share: number): string => `${(share * 100).toFixed(0)} %`;

/** `/api/overview`: figures for operators. Reads the hourly sums and a bounded part of the queue, never all tasks. */
import { sql } from 'kysely';
import * as z from 'zod';
import { isQueued } from '../storage/conditions.ts';
import { DAY_MS, HOUR_MS } from '../storage/count-figures.ts';
import { figureKinds } from '../storage/tables.ts';
import type { ApiContext } from './context.ts';
import { pageSizeSchema } from './inputs.ts';
import { declareRoute } from './route.ts';
import { timeSchema } from './schemas.ts';
import { findWaitingReason } from './waiting.ts';
import {
  findBlockingBudget,
  selectBlockingBudget,
  budgetKinds,
  readBudgetUses,
  budgetViewOf,
  dayStartOf,
  isUsedUp,
  usedShareOf,
} from '../queue/budgets.ts';
import type { BudgetUse } from '../queue/budgets.ts';
import { readRequirement } from '../queue/requirements.ts';

/** Number of hours that the answer lists one by one. */
const HOUR_COUNT = 48;
const MAX_MODELS = 50;
/** Maximum number of queued tasks that are read; reading them takes about 20 ms. */
const MAX_QUEUED_TASKS = 4_000;
const MAX_WAITING_GROUPS = 20;
const MAX_BUDGETS = 50;

const endingKinds = figureKinds.filter((kind) => kind !== 'work');
const endingCountsSchema = z.object(
  Object.fromEntries(endingKinds.map((kind) => [kind, z.number().int()])) as Record<
    (typeof endingKinds)[number],
    z.ZodNumber
  >,
);
const usageSchema = z.object({
  tokens_in: z.number().int(),
  tokens_out: z.number().int(),
  gpu_ms: z.number().int().describe('Busy time of model servers, from the workers that report it'),
});

const budgetNameSchema = z.object({
  per: z.enum(budgetKinds),
  name: z.string().describe('The submitter or the repository; empty for the hub'),
});

export const overviewSchema = z.object({
  now: timeSchema,
  hours: z
    .array(endingCountsSchema.extend({ at: timeSchema }))
    .describe('Figures of the last 48 hours; hours without ended tasks are omitted. `at`: start of the hour'),
  days: z
    .array(usageSchema.extend({ at: timeSchema, tasks: z.number().int() }))
    .describe('Figures by UTC day; days without figures are omitted'),
  models: z.array(
    endingCountsSchema.extend({ model: z.string(), ...usageSchema.shape, calls: z.number().int() }),
  ),
  waiting: z.array(
    z.object({
      count: z.number().int().describe('Counted among the first 4,000 queued tasks only'),
      reason: z.string(),
      oldest_task_id: z.string(),
      oldest_title: z.string(),
      since: timeSchema,
      labels: z.array(z.string()),
      model: z.string().nullable(),
      budget: budgetNameSchema.nullable().describe('The exhausted budget, if the tasks wait for a budget'),
    }),
  ),
  budgets: z
    .array(
      budgetNameSchema.extend({
        used_tokens: z.number().int(),
        max_tokens: z.number().nullable(),
        used_usd: z.number(),
        max_usd: z.number().nullable(),
        used_up: z.boolean(),
        starts_again_at: timeSchema,
      }),
    )
    .describe(
      'The configured daily budgets, highest usage first. Budgets of submitters and repositories are listed only if they were used today',
    ),
});

export const createOverviewRoute = (context: ApiContext) =>
  declareRoute({
    method: 'GET',
    path: '/api/overview',
    role: 'viewer',
    summary: 'Outcomes of tasks, usage of models, waiting tasks with reasons',
    query: z.object({ days: pageSizeSchema(90, 14) }),
    answers: { 200: { description: 'Sums by hour, day and model', schema: overviewSchema } },
    handle: async ({ query }) => {
      const now = context.clock.now();
      const today = dayStartOf(now);
      const from = today - (query.days - 1) * DAY_MS;
      const uses = await readBudgetUses(context, context.store.db);
      const [hours, days, models, waiting] = await Promise.all([
        readEndingsByHour(context, now - (now % HOUR_MS) - (HOUR_COUNT - 1) * HOUR_MS),
        readUsageByDay(context, from),
        readUsageByModel(context, from),
        readWaitingGroups(context, uses.filter(isUsedUp)),
      ]);
      const budgets = uses
        .sort((a, b) => usedShareOf(b) - usedShareOf(a) || (a.name < b.name ? -1 : 1))
        .slice(0, MAX_BUDGETS)
        .map((use) => budgetViewOf(use, now));
      return { now, hours, days, models, waiting, budgets };
    },
  });

const createZeroCounts = () =>
  Object.fromEntries(endingKinds.map((kind) => [kind, 0])) as Record<(typeof endingKinds)[number], number>;

async function readEndingsByHour({ store }: ApiContext, from: number) {
  const rows = await store.db
    .selectFrom('figures')
    .select(({ fn }) => ['hour', 'kind', fn.sum<number>('count').as('count')])
    .where('hour', '>=', from)
    .where('kind', '!=', 'work')
    .groupBy(['hour', 'kind'])
    .orderBy('hour')
    .execute();
  const hours = new Map<number, ReturnType<typeof createZeroCounts> & { at: number }>();
  for (const { hour, kind, count } of rows) {
    const hourCounts = hours.get(hour) ?? { at: hour, ...createZeroCounts() };
    hours.set(hour, { ...hourCounts, [kind]: count });
  }
  return [...hours.values()];
}

async function readUsageByDay({ store }: ApiContext, from: number) {
  const day = sql<number>`hour - hour % ${sql.lit(DAY_MS)}`;
  const isEnding = sql<number>`CASE WHEN kind = 'work' THEN 0 ELSE 1 END`;
  return store.db
    .selectFrom('figures')
    .select([
      day.as('at'),
      sql<number>`SUM(count * ${isEnding})`.as('tasks'),
      sql<number>`SUM(tokens_in)`.as('tokens_in'),
      sql<number>`SUM(tokens_out)`.as('tokens_out'),
      sql<number>`SUM(gpu_ms)`.as('gpu_ms'),
    ])
    .where('hour', '>=', from)
    .groupBy(day)
    .orderBy(day)
    .execute();
}

async function readUsageByModel({ store }: ApiContext, from: number) {
  const rows = await store.db
    .selectFrom('figures')
    .select(({ fn }) => [
      'model',
      'kind',
      fn.sum<number>('count').as('count'),
      fn.sum<number>('tokens_in').as('tokens_in'),
      fn.sum<number>('tokens_out').as('tokens_out'),
      fn.sum<number>('gpu_ms').as('gpu_ms'),
    ])
    .where('hour', '>=', from)
    .groupBy(['model', 'kind'])
    .execute();
  const models = new Map<string, ModelFigures>();
  for (const { model, kind, count, ...use } of rows) {
    const figures = models.get(model) ?? {
      model,
      ...createZeroCounts(),
      tokens_in: 0,
      tokens_out: 0,
      gpu_ms: 0,
      calls: 0,
    };
    models.set(model, { ...figures, ...(kind === 'work' ? { ...use, calls: count } : { [kind]: count }) });
  }
  const tasksOf = (figures: ModelFigures) => endingKinds.reduce((sum, kind) => sum + figures[kind], 0);
  return [...models.values()]
    .sort((a, b) => tasksOf(b) - tasksOf(a) || b.calls - a.calls)
    .slice(0, MAX_MODELS);
}

type ModelFigures = ReturnType<typeof createZeroCounts> &
  z.output<typeof usageSchema> & { model: string; calls: number };

/** Groups queued tasks by equal needs, the largest groups first, each with the reason why its tasks wait. */
async function readWaitingGroups(context: ApiContext, usedUp: readonly BudgetUse[]) {
  const now = context.clock.now();
  const queued = context.store.db
    .selectFrom('tasks')
    .select(['seq', 'requirement', 'not_before', 'failures', 'submitted_by', 'repo'])
    .where(isQueued)
    .limit(MAX_QUEUED_TASKS)
    .as('queued');
  const isDelayed = sql<number>`CASE WHEN not_before > ${now} THEN 1 ELSE 0 END`;
  const groups = await context.store.db
    .selectFrom(queued)
    .select(({ fn }) => ['requirement', fn.countAll<number>().as('count'), fn.min<number>('seq').as('seq')])
    .groupBy(['requirement', isDelayed, selectBlockingBudget(usedUp)])
    .orderBy('count', 'desc')
    .orderBy('seq')
    .limit(MAX_WAITING_GROUPS)
    .execute();
  if (groups.length === 0) return [];
  const oldestTasks = await context.store.db
    .selectFrom('tasks')
    .selectAll()
    .where(
      'seq',
      'in',
      groups.map(({ seq }) => seq),
    )
    .execute();
  const workers = await context.workers.listViews();
  return groups.flatMap(({ seq, count }) => {
    const task = oldestTasks.find((one) => one.seq === seq);
    const reason = task && findWaitingReason(task, { workers, usedUp, nowMs: now });
    if (!task || reason === null || reason === undefined) return [];
    const { labels, model = null } = readRequirement(task.requirement);
    const use = task.not_before > now ? undefined : findBlockingBudget(task, usedUp);
    const budget = use ? { per: use.kind, name: use.name } : null;
    return [
      {
        count,
        reason,
        oldest_task_id: task.id,
        oldest_title: task.title,
        since: task.created_at,
        labels,
        model,
        budget,
      },
    ];
  });
}

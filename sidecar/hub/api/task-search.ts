/**
 * Finds the tasks of a list, newest first. Filters with an index take one query. Other filters read a few thousand
 * tasks at a time, so that a search through a million never blocks the queue; texts of three characters or more have an
 * index of their own.
 */
import { expressionBuilder, sql } from 'kysely';
import * as z from 'zod';
import type { ExpressionBuilder, Kysely, RawBuilder, SqlBool } from 'kysely';
import { isAsking, isInFlight, isQueued, isShownAs } from '../storage/conditions.ts';
import type { DatabaseKind, HubDatabase } from '../storage/hub-database.ts';
import { readKeyRange } from '../storage/number-range.ts';
import { shownStatuses } from '../storage/tables.ts';
import type { ShownStatus, Tables, TaskHead } from '../storage/tables.ts';
import type { ApiContext } from './context.ts';
import { outcomeFilters } from './schemas.ts';
import type { OutcomeFilter } from './schemas.ts';
import { pageSizeSchema, cutPage, sequenceNumberSchema } from './inputs.ts';

/** Highest exact total of tasks; counting further is slow and rarely useful. */
const MAX_COUNTED_TASKS = 10_000;
/** Number of tasks per query of a search; a query takes about 10 ms. */
const SEARCH_WINDOW = 2_000;
/** Like `SEARCH_WINDOW`, for a search by the text index, which reads only tasks that may match. */
const INDEXED_WINDOW = 200_000;
/** Maximum number of matches of a text that are counted. */
const MAX_COUNTED_TEXT_MATCHES = 1_000;
/** Timeout of a search; the result then has `nextBefore` to continue. */
const SEARCH_TIMEOUT_MS = 2_000;
/** How long a full page waits for the count of further matches. */
const COUNT_TIMEOUT_MS = 30;

/** The filters of a list of tasks. */
export const taskListQuerySchema = z.object({
  status: z
    .string()
    .transform((text) => text.split(','))
    .pipe(z.array(z.enum(shownStatuses)))
    .optional()
    .describe('One or more states, separated by commas'),
  outcome: z
    .enum(outcomeFilters)
    .optional()
    .describe(
      'unverified: a success that is not verified; not_done: a partial result without a passing check',
    ),
  since: z.coerce
    .number()
    .int()
    .min(0)
    .optional()
    .describe('Earliest time of submission, in milliseconds since the epoch'),
  worker: z.string().max(128).optional(),
  repo: z.string().max(4096).optional().describe('Part of the repository’s address'),
  model: z.string().max(256).optional().describe('The model that was used, or else the requested model'),
  label: z.string().max(256).optional().describe('A required label'),
  q: z
    .string()
    .max(200)
    .optional()
    .describe('Part of the title or the repository, or at least the first ten characters of the id'),
  before: sequenceNumberSchema.describe('`next_before` of the previous page'),
  limit: pageSizeSchema(500, 50),
});
export type TaskListQuery = z.output<typeof taskListQuerySchema>;

interface TaskPage {
  rows: TaskHead[];
  /** Value of `before` for the next page; null at the end. */
  nextBefore: number | null;
  /**
   * Number of matching tasks, at most `MAX_COUNTED_TASKS`. For a search: the number of matches from `before` on that
   * were found in time.
   */
  total: number;
}

export function findTasks(context: ApiContext, query: TaskListQuery): Promise<TaskPage> {
  const { status } = query;
  const hasIndex = !hasFilters(query) && (status === undefined || indexConditionOf(status) !== undefined);
  return hasIndex ? readPage(context, query) : searchTasks(context, query);
}

/** Returns whether the query has filters other than states. */
const hasFilters = ({ worker, repo, model, label, outcome, since, q = '' }: TaskListQuery): boolean =>
  [worker, repo, model, label, outcome, since].some((one) => one !== undefined) || q.trim() !== '';

async function readPage({ store: { db } }: ApiContext, query: TaskListQuery): Promise<TaskPage> {
  let matching = db.selectFrom('tasks');
  if (query.status) {
    matching = matching
      .where(isShownAs(query.status))
      .where(indexConditionOf(query.status) ?? sql<SqlBool>`1 = 1`);
  }
  const countedTasks = matching.select('seq').limit(MAX_COUNTED_TASKS).as('counted');
  const [rows, { total }] = await Promise.all([
    matching
      .selectAll()
      .where('seq', '<', query.before ?? Number.MAX_SAFE_INTEGER)
      .orderBy('seq', 'desc')
      .limit(query.limit + 1)
      .execute(),
    db
      .selectFrom(countedTasks)
      .select(({ fn }) => fn.countAll<number>().as('total'))
      .executeTakeFirstOrThrow(),
  ]);
  const { page, more } = cutPage(rows, query.limit);
  return { rows: page, nextBefore: more ? (page.at(-1)?.seq ?? null) : null, total };
}

/**
 * Returns the condition of the partial index that has all tasks in these states; undefined if there is no such index.
 */
function indexConditionOf(statuses: readonly ShownStatus[]): RawBuilder<SqlBool> | undefined {
  const [only] = statuses;
  if (statuses.every((status) => status === 'asks')) return isAsking;
  if (statuses.every((status) => inFlightStatuses.has(status))) return isInFlight;
  if (statuses.length !== 1) return undefined;
  return only === 'queued' ? isQueued : sql<SqlBool>`finished_at IS NOT NULL`;
}

const inFlightStatuses: ReadonlySet<ShownStatus> = new Set(['assigned', 'running', 'asks']);

async function searchTasks({ store, clock }: ApiContext, query: TaskListQuery): Promise<TaskPage> {
  const { db, kind } = store.database;
  const { first: oldest, last } = await readKeyRange(db, 'tasks');
  const first =
    query.since === undefined ? oldest : await findFirstSince(db, query.since, { first: oldest, last });
  const isIndexed = isInIndex(query.q);
  const window = isIndexed ? (kind === 'sqlite' ? INDEXED_WINDOW : Infinity) : SEARCH_WINDOW;
  const maxCounted = isIndexed ? MAX_COUNTED_TEXT_MATCHES : MAX_COUNTED_TASKS;
  const startMs = clock.monotonicMs();
  const fullPageMs = hasFilters(query) ? COUNT_TIMEOUT_MS : SEARCH_TIMEOUT_MS;
  const hasTime = () =>
    clock.monotonicMs() - startMs < (foundSeqs.length > query.limit ? fullPageMs : SEARCH_TIMEOUT_MS);
  const foundSeqs: number[] = [];
  let total = 0;
  let before = Math.min(query.before ?? Number.MAX_SAFE_INTEGER, last + 1);
  while (before > first && total < maxCounted && hasTime()) {
    const from = Math.max(first, before - window);
    const seqs = await readMatches(store.database, query, { from, before, limit: maxCounted });
    foundSeqs.push(...seqs.slice(0, query.limit + 1 - foundSeqs.length));
    total += seqs.length;
    before = from;
    await new Promise((resolve) => setImmediate(resolve));
  }
  const { page, more } = cutPage(foundSeqs, query.limit);
  const isAtEnd = before <= first;
  return {
    rows: await readTasks(db, page),
    nextBefore: more ? (page.at(-1) ?? null) : isAtEnd ? null : before,
    total: Math.min(total, maxCounted),
  };
}

/** Returns the numbers of the tasks of a range that match, highest first. */
async function readMatches(
  { db, kind }: HubDatabase,
  query: TaskListQuery,
  { from, before, limit }: { from: number; before: number; limit: number },
): Promise<number[]> {
  const conditions = buildConditions(expressionBuilder<Tables, 'tasks'>(), query, kind);
  const { rows } =
    kind === 'sqlite' && isInIndex(query.q)
      ? await sql<{ seq: number }>`
          SELECT tasks.seq FROM task_search CROSS JOIN tasks ON tasks.seq = task_search.rowid
          WHERE task_search MATCH ${buildTrigramQuery(query.q?.trim() ?? '')}
            AND task_search.rowid >= ${from} AND task_search.rowid < ${before} AND ${conditions}
          ORDER BY task_search.rowid DESC LIMIT ${limit}`.execute(db)
      : await sql<{ seq: number }>`
          SELECT tasks.seq FROM tasks WHERE tasks.seq >= ${from} AND tasks.seq < ${before} AND ${conditions}
          ORDER BY tasks.seq DESC LIMIT ${limit}`.execute(db);
  return rows.map(({ seq }) => seq);
}

/**
 * Finds the first number whose task was submitted at `since` or later, by bisection: numbers and times ascend together.
 */
async function findFirstSince(
  db: Kysely<Tables>,
  since: number,
  { first, last }: { first: number; last: number },
): Promise<number> {
  let [low, high] = [first, last + 1];
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    const row = await db
      .selectFrom('tasks')
      .select(['seq', 'created_at'])
      .where('seq', '>=', middle)
      .orderBy('seq')
      .limit(1)
      .executeTakeFirst();
    if (row && row.created_at < since) low = row.seq + 1;
    else high = middle;
  }
  return low;
}

function buildConditions(
  eb: ExpressionBuilder<Tables, 'tasks'>,
  { status, outcome, since, worker, repo, model, label, q }: TaskListQuery,
  kind: DatabaseKind,
) {
  const conditions = [];
  if (since !== undefined) conditions.push(eb('created_at', '>=', since));
  if (outcome) conditions.push(outcomeConditions[outcome]);
  if (status) conditions.push(isShownAs(status));
  if (worker !== undefined) conditions.push(eb('worker_id', '=', worker));
  if (repo !== undefined) conditions.push(matchesPattern('repo', `%${escapeLikePattern(repo)}%`));
  if (model !== undefined) {
    const requestsModel = matchesPattern(
      'requirement',
      `%"model":${escapeLikePattern(JSON.stringify(model).slice(0, -1))}%`,
    );
    conditions.push(
      eb.or([eb('model_used', '=', model), eb.and([eb('model_used', 'is', null), requestsModel])]),
    );
  }
  // The canonical text of a requirement begins with its labels.
  if (label !== undefined) {
    conditions.push(
      matchesPattern('requirement', `{"labels":[%${escapeLikePattern(JSON.stringify(label))}%]%`),
    );
  }
  const text = q?.trim() ?? '';
  if (text !== '') conditions.push(matchesText(text, kind));
  return eb.and(conditions);
}

/** Minimum length of a text that the text index finds. */
const MIN_INDEXED_CHARS = 3;
/** Detects the beginning of a task's id: SQLite's text index has no ids, since they are random. */
const isIdPrefix = (text: string): boolean => /^task-\w{5,}/.test(text);

const isInIndex = (q = ''): boolean =>
  Array.from(q.trim()).length >= MIN_INDEXED_CHARS && !isIdPrefix(q.trim());

function matchesText(text: string, kind: DatabaseKind): RawBuilder<SqlBool> {
  // Only on SQLite: other databases may sort texts by the rules of a language.
  if (kind === 'sqlite' && isIdPrefix(text)) return sql`(tasks.id >= ${text} AND tasks.id < ${`${text}~`})`;
  const pattern = `%${escapeLikePattern(text)}%`;
  return sql`(LOWER(tasks.title || ' ' || tasks.id || ' ' || COALESCE(tasks.repo, '')) LIKE LOWER(${pattern}) ESCAPE '\\')`;
}

/** Builds an FTS5 query that requires all three-character parts of a text. */
function buildTrigramQuery(text: string): string {
  const characters = Array.from(text);
  const parts = characters.slice(2).map((_, at) => characters.slice(at, at + 3).join(''));
  return parts.map((part) => `"${part.replaceAll('"', '""')}"`).join(' AND ');
}

const outcomeConditions: Record<OutcomeFilter, RawBuilder<SqlBool>> = {
  unverified: sql`(status = 'success' AND COALESCE(verification_status, '') <> 'verified')`,
  not_done: sql`(status = 'partial' AND verification_status IN ('failed', 'execution_failed'))`,
};

/** Escapes a text for a LIKE pattern. */
const escapeLikePattern = (text: string): string => text.replaceAll(/[\\%_]/g, String.raw`\$&`);

const matchesPattern = (column: 'repo' | 'requirement', pattern: string) =>
  sql<boolean>`(LOWER(COALESCE(${sql.ref(`tasks.${column}`)}, '')) LIKE LOWER(${pattern}) ESCAPE '\\')`;

async function readTasks(db: Kysely<Tables>, seqs: readonly number[]): Promise<TaskHead[]> {
  if (seqs.length === 0) return [];
  return db.selectFrom('tasks').selectAll().where('seq', 'in', seqs).orderBy('seq', 'desc').execute();
}

/**
 * Races: up to N workers attempt one task side by side. Each attempt is a task of its own, a member, with its own lease,
 * generation and worker; the race itself is never given out. Whatever happens to a member changes the race in the same
 * transaction, so that of two results that cross exactly one counts, and a hub that is killed forgets nothing.
 */
import { isOpenRace } from '../storage/conditions.ts';
import type { HubTransaction } from '../storage/hub-database.ts';
import { headColumns } from '../storage/tables.ts';
import type { TaskHead, TaskRow } from '../storage/tables.ts';
import type { HubStore, UnitOfWork } from '../storage/unit-of-work.ts';
import { isRecord } from '../../values/json.ts';
import { expireApprovals } from './conversations.ts';
import type { Used } from './outcome.ts';
import { closestMember, standingOf } from './race-standing.ts';
import { recordStatus, recordTaskEvent } from './task-events.ts';

/** Records what happened to a task, and brings the race of a member up to date in the same change. */
export async function taskChanged(
  unit: UnitOfWork,
  task: TaskHead,
  reason: string,
  at: number,
): Promise<void> {
  recordTaskEvent(unit, task, reason, at);
  if (task.race_of !== null && reason !== 'submitted') await follow(unit, task.race_of, at, { task, reason });
}

/** In order of their numbers; none of a task that is no race. */
export const membersOf = (trx: HubTransaction | HubStore['db'], raceId: string): Promise<TaskHead[]> =>
  trx.selectFrom('tasks').select(headColumns).where('race_of', '=', raceId).orderBy('seq').execute();

/** Ends races that were only waiting for a member's worker to come back: that a wait ends changes no task by itself. */
export async function settleRaces(store: HubStore, now: number): Promise<void> {
  const open = await store.db.selectFrom('tasks').select('id').where(isOpenRace).execute();
  for (const { id } of open) {
    const standing = standingOf(await membersOf(store.db, id), now);
    if (standing.is !== 'open') await store.run((unit) => follow(unit, id, now));
  }
}

/** Takes a race's members from their workers, who are told at once. */
export async function withdrawMembers(
  unit: UnitOfWork,
  raceId: string,
  reason: string,
  at: number,
): Promise<void> {
  let open = unit.trx
    .selectFrom('tasks')
    .select('id')
    .where('race_of', '=', raceId)
    .where('finished_at', 'is', null);
  // A member that another replica is changing right now waits for the race there, and is withdrawn by that change.
  if (unit.kind === 'postgresql') open = open.forUpdate().skipLocked();
  const ids = (await open.execute()).map(({ id }) => id);
  if (ids.length === 0) return;
  const withdrawn = await unit.trx
    .updateTable('tasks')
    .set({ status: 'cancelled', error: reason, finished_at: at, updated_at: at, session_id: null })
    .where('id', 'in', ids)
    .where('finished_at', 'is', null)
    .returning(headColumns)
    .execute();
  for (const member of withdrawn) {
    await expireApprovals(unit, member, at);
    recordTaskEvent(unit, member, 'cancelled', at);
    if (member.worker_id === null) continue;
    unit.announce({ kind: 'cancelled', taskId: member.id, agentId: member.worker_id, reason });
  }
}

/** The change by which dead letters and cancelled tasks are queued again, with their attempts forgotten. */
export const putBack = (trx: HubTransaction, at: number) =>
  trx
    .updateTable('tasks')
    .set((eb) => ({
      status: 'queued',
      attempts: 0,
      reclaims: 0,
      not_before: 0,
      worker_id: null,
      accepted_at: null,
      finished_at: null,
      updated_at: at,
      generation: eb('generation', '+', 1),
    }))
    .where('status', 'in', ['dead_letter', 'cancelled']);

/** Puts the members of a race that is tried again back into the queue; what others handed in stays. */
export async function retryMembers(unit: UnitOfWork, raceId: string, at: number): Promise<void> {
  const members = await putBack(unit.trx, at)
    .set({ error: null })
    .where('race_of', '=', raceId)
    .returning(headColumns)
    .execute();
  for (const member of members) recordTaskEvent(unit, member, 'retry', at);
}

/** What a cancelled task used, as its worker tells afterwards; a race counts it. False when it is not this worker's. */
export async function countCancelled(
  unit: UnitOfWork,
  { taskId, agentId }: { taskId: string; agentId: string },
  used: Used,
  at: number,
): Promise<boolean> {
  const task = await unit.trx
    .updateTable('tasks')
    .set(used)
    .where('id', '=', taskId)
    .where('worker_id', '=', agentId)
    .where('status', '=', 'cancelled')
    .returning(headColumns)
    .executeTakeFirst();
  if (!task) return false;
  recordTaskEvent(unit, task, 'figures', at);
  if (task.race_of !== null) await follow(unit, task.race_of, at);
  return true;
}

/** Brings a race up to date with its members. */
async function follow(
  unit: UnitOfWork,
  raceId: string,
  at: number,
  news?: { task: TaskHead; reason: string },
): Promise<void> {
  // Changed first, so that of changes on several replicas each sees what the one before made of it.
  const race = await change(unit.trx, raceId, { updated_at: at });
  if (!race) return;
  const members = await membersOf(unit.trx, raceId);
  if (race.finished_at !== null) {
    await withdrawMembers(unit, raceId, 'the race is over', at);
    await tellChange(unit, race, await sums(unit.trx, raceId), { reason: 'figures', at });
    return;
  }
  const text = news && whatHappened(members, news.task, news.reason);
  if (text) recordStatus(unit, race, text, at);
  const standing = standingOf(members, at);
  if (standing.is === 'open') {
    const starts = standing.status !== 'queued' && race.assigned_at === null;
    const accepted = standing.status === 'running' && race.accepted_at === null;
    const set = {
      status: standing.status,
      ...(starts && { assigned_at: at }),
      ...(accepted && { accepted_at: at }),
    };
    const changed = { ...set, ...(await sums(unit.trx, raceId)) };
    await tellChange(unit, race, changed, { reason: 'race', at, always: text !== undefined });
    return;
  }
  await end(unit, race, members, standing.is === 'won' ? standing.winner : undefined, at);
}

async function end(
  unit: UnitOfWork,
  race: TaskHead,
  members: readonly TaskHead[],
  winner: string | undefined,
  at: number,
): Promise<void> {
  const rows = await unit.trx
    .selectFrom('tasks')
    .selectAll()
    .where('race_of', '=', race.id)
    .where('status', '!=', 'cancelled')
    .orderBy('seq')
    .execute();
  const given = rows.find(({ id }) => id === winner) ?? closestMember(rows);
  const name = given && nameOf(members, given);
  await withdrawMembers(unit, race.id, winner ? `${name} was first` : 'the race is over', at);
  const isDone = given?.status === 'success' || given?.status === 'partial';
  const how = winner ? 'wins: its result is verified' : 'came closest; nobody is verified';
  if (isDone) recordStatus(unit, race, `${name} ${how}`, at);
  const ended = await change(unit.trx, race.id, {
    ...(given && outcomeOf(given, race.id)),
    status: given?.status ?? 'cancelled',
    race_winner: isDone ? given.id : null,
    finished_at: at,
    ...(await sums(unit.trx, race.id)),
  });
  if (ended) recordTaskEvent(unit, ended, isDone ? 'completed' : ended.status, at);
  unit.announce({ kind: 'queue' });
}

/** A member's result as the race's own. */
function outcomeOf(member: TaskRow, raceId: string): Partial<TaskRow> {
  const { worker_id, error, verification_report, model_used, iterations_used } = member;
  const { verification_status, termination_reason, has_follow_up, result } = member;
  return {
    worker_id,
    error,
    verification_report,
    model_used,
    iterations_used,
    verification_status,
    termination_reason,
    has_follow_up,
    result: result === null ? null : followingRace(result, raceId),
  };
}

/** What remains is to be done for the race, not for one of its members. */
function followingRace(text: string, raceId: string): string {
  const result = JSON.parse(text) as Record<string, unknown>;
  const followUp = result.follow_up;
  if (!isRecord(followUp)) return text;
  const metadata = isRecord(followUp.metadata) ? followUp.metadata : {};
  return JSON.stringify({
    ...result,
    follow_up: { ...followUp, metadata: { ...metadata, follow_up_of: raceId } },
  });
}

/** All costs count, those of members that were cancelled too. */
const sums = (trx: HubTransaction, raceId: string): Promise<Used> =>
  trx
    .selectFrom('tasks')
    .select(({ fn }) => [
      fn.sum<number | null>('tokens_in').as('tokens_in'),
      fn.sum<number | null>('tokens_out').as('tokens_out'),
      fn.sum<number | null>('cost_usd').as('cost_usd'),
    ])
    .where('race_of', '=', raceId)
    .executeTakeFirstOrThrow();

/** Nothing is told where nothing changes, of the race or, with `always`, of its members. */
async function tellChange(
  unit: UnitOfWork,
  race: TaskHead,
  set: Partial<TaskHead>,
  { reason, at, always = false }: { reason: string; at: number; always?: boolean },
): Promise<void> {
  const isNew = always || Object.entries(set).some(([key, value]) => race[key as keyof TaskHead] !== value);
  const changed = isNew ? await change(unit.trx, race.id, set) : undefined;
  if (changed) recordTaskEvent(unit, changed, reason, at);
}

const change = (trx: HubTransaction, id: string, set: Partial<TaskRow>): Promise<TaskHead | undefined> =>
  trx.updateTable('tasks').set(set).where('id', '=', id).returning(headColumns).executeTakeFirst();

function nameOf(members: readonly TaskHead[], { id, worker_id: worker }: TaskHead): string {
  const number = members.findIndex((member) => member.id === id) + 1;
  return `Member ${number} of ${members.length}${worker === null ? '' : ` (${worker})`}`;
}

function whatHappened(members: readonly TaskHead[], task: TaskHead, reason: string): string | undefined {
  const name = nameOf(members, task);
  const why = task.error === null ? '' : `: ${task.error}`;
  switch (reason) {
    case 'accepted':
      return `${name} begins`;
    case 'completed':
      return `${name} ended: ${task.verification_status ?? task.status}`;
    case 'dead_letter':
      return `${name} failed${why}`;
    case 'retry':
      return `${name} will be tried again${why}`;
    case 'cancelled':
      return `${name} was cancelled${why}`;
    case 'worker_lost':
    case 'not_accepted':
    case 'lease_expired':
      return `${name} lost its worker; the race goes on`;
    default:
      return undefined;
  }
}

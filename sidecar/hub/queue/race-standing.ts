/** How a race stands, and which of its members' results it has in the end. Pure. */
import * as z from 'zod';
import { byCloseness } from '../../protocol/progress-of.ts';
import { changesSchema, verificationReportSchema } from '../../protocol/result.ts';
import type { TaskHead, TaskRow } from '../storage/tables.ts';

type Standing =
  /** Somebody works on it, or nobody has ended yet. */
  | { is: 'open'; status: 'queued' | 'assigned' | 'running' }
  /** A verified result is there: nobody else is needed. */
  | { is: 'won'; winner: string }
  /** Nobody is verified and nobody works on it any more: the closest counts. */
  | { is: 'over' }
  /** People took every member out. */
  | { is: 'cancelled' };

/** Members that never got a worker are not waited for once another has ended. */
export function standingOf(members: readonly TaskHead[], now: number): Standing {
  const verified = members.filter(isVerified).sort((a, b) => (a.finished_at ?? 0) - (b.finished_at ?? 0));
  if (verified[0]) return { is: 'won', winner: verified[0].id };
  const status = (['running', 'assigned'] as const).find((one) => members.some((m) => m.status === one));
  if (status) return { is: 'open', status };
  if (members.every((member) => member.status === 'cancelled')) return { is: 'cancelled' };
  const isDecided = members.some(hasEnded) && !members.some((member) => comesBack(member, now));
  return isDecided ? { is: 'over' } : { is: 'open', status: 'queued' };
}

const isVerified = ({ status, verification_status: said }: TaskHead): boolean =>
  status === 'success' && said === 'verified';

const hasEnded = ({ status }: TaskHead): boolean =>
  status === 'success' || status === 'partial' || status === 'dead_letter';

/** It is to be tried again, or its worker may still return to it. */
const comesBack = (member: TaskHead, now: number): boolean =>
  member.status === 'queued' && (member.not_before > now || member.preferred_until > now);

/**
 * The member that came closest: done before in part before failed, then most checks, most tests, one that changed
 * something, fewest changed lines, and the first to end. Checks that pass and prove nothing come after all others of their kind.
 */
export function closestMember(rows: readonly TaskRow[]): TaskRow | undefined {
  const [best] = rows
    .filter(hasEnded)
    .map((row) => ({ row, ...measure(row) }))
    .sort(
      (a, b) =>
        b.kind - a.kind ||
        Number(a.isDoubtful) - Number(b.isDoubtful) ||
        byCloseness(a, b) ||
        (a.row.finished_at ?? 0) - (b.row.finished_at ?? 0) ||
        a.row.seq - b.row.seq,
    );
  return best?.row;
}

const reportSchema = verificationReportSchema.pick({ status: true, checks: true });
const resultSchema = z.looseObject({ changes: changesSchema.pick({ files: true }).optional() });
const KINDS = ['dead_letter', 'partial', 'success'];

/** Lenient: results of other programs' workers have fewer fields. */
function measure({ status, verification_report: report, result, verification_status: said }: TaskRow) {
  const { data: checked } = reportSchema.safeParse(parsed(report));
  const { data: given } = resultSchema.safeParse(parsed(result));
  return {
    kind: KINDS.indexOf(status),
    isDoubtful: checked?.status === 'pass' && said !== 'verified',
    report: checked,
    files: given?.changes?.files ?? [],
  };
}

const parsed = (text: string | null): unknown => (text === null ? undefined : JSON.parse(text));

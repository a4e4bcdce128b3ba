/**
 * Shows drafts on the timeline, one row each, in the form of a tool call, which every dashboard of the protocol can show. The text contains
 * the change and the number of passing checks; the details contain the diff and the failures.
 */
import { createTwoFilesPatch } from 'diff';
import type { OnProgress } from '../../base/ports.ts';
import type { EventDetail } from '../../base/protocol/events.ts';
import type { VerificationReport } from '../../base/protocol/result.ts';
import { describeChange } from '../task/changes.ts';
import { NOT_NEEDED_REASON, type Draft } from './draft.ts';

const MAX_NAME_CHARS = 200;

export interface DraftRow {
  /** The model of the task. */
  model: string;
  number: number;
  /** Maximum number of drafts. */
  total: number;
  temperature: number;
  /** Kind of the request; undefined for a new draft. */
  label?: string | undefined;
}

/** Shows that a draft is being written. The returned function shows its outcome. */
export function emitDraft(emit: OnProgress, row: DraftRow): (draft: Draft, durationMs: number) => void {
  const { model, number, total, temperature, label } = row;
  const call = { event_type: 'tool_call' as const, model, tool_name: 'draft', call_id: `draft-${number}` };
  const args_summary = [`${number} of at most ${total}`, label, `temperature ${temperature}`]
    .filter(Boolean)
    .join(', ');
  emit({
    ...call,
    phase: 'started',
    args_summary,
    iteration: number,
    text: `Draft ${args_summary}`,
  });
  return (draft, durationMs) => {
    const verdict = verdictOf(draft);
    emit({
      ...call,
      phase: 'finished',
      args_summary,
      iteration: number,
      result_summary: verdict,
      ...(draft.report && { success: draft.report.status === 'pass' }),
      duration_ms: Math.round(durationMs),
      text: `Draft ${number}: ${verdict}`,
      draft: { number, ...(draft.rejectionReason === NOT_NEEDED_REASON && { not_needed: true }) },
      details: detailsOf(draft),
    });
  };
}

/** Summarises the change and the checks' outcome in one line. */
export function verdictOf(draft: Draft): string {
  const change = draft.files.length > 0 ? describeChange(draft.files) : 'no change';
  if (draft.rejectionReason !== undefined) return `${change}; not checked: ${draft.rejectionReason}`;
  if (draft.duplicateOf !== undefined) return `${change}; the same as draft ${draft.duplicateOf}`;
  const tried = draft.isOtherReading ? `answer applied in another way: ${change}` : change;
  const stopped = draft.report?.status === 'timeout' ? ', the checks timed out' : '';
  return draft.report ? `${tried}; ${summarizeChecks(draft.report)}${stopped}` : tried;
}

/** Returns a text such as `all 2 checks pass` or `1 of 2 checks pass`. */
export function summarizeChecks({ checks, summary }: VerificationReport): string {
  const { passed, total } = summary;
  if (passed === total) return total === 1 ? 'the check passes' : `all ${total} checks pass`;
  const failing = checks.reduce((sum, { essence }) => sum + (essence?.failed.length ?? 0), 0);
  const tests = failing > 0 ? ` (${failing} test${failing === 1 ? ' fails' : 's fail'})` : '';
  return `${passed} of ${total} checks pass${tests}`;
}

/** Returns the cause, the change, and the first check that fails. */
function detailsOf(draft: Draft): EventDetail[] {
  const failing = draft.report?.checks.find(({ status }) => status !== 'pass' && status !== 'skip');
  const all = [
    { title: 'Cause, according to the model', text: draft.reason },
    { title: 'Change', text: diffOf(draft) },
    ...(failing
      ? [
          {
            title: `Failing check: ${(failing.description || failing.target).slice(0, MAX_NAME_CHARS)}`,
            text: failing.essence?.text || failing.output,
          },
        ]
      : []),
  ];
  return all.filter(({ text }) => text.trim() !== '');
}

function diffOf({ files }: Draft): string {
  const patches = files.map(({ path, before, after }) => {
    const names = [`a/${path}`, `b/${path}`] as const;
    const patch = createTwoFilesPatch(...names, before ?? '', after ?? '', undefined, undefined, {
      context: 2,
    });
    return patch.replace(/^=+\n/u, `diff --git ${names.join(' ')}\n`);
  });
  return patches.join('');
}

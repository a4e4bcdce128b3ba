/** Which member of a race counts where nobody is verified. */
import { expect, test } from '@jest/globals';
import { closestMember } from '../../sidecar/hub/queue/race-standing.ts';
import type { TaskRow } from '../../sidecar/hub/storage/tables.ts';
import { checks } from './checks-report.ts';

interface Member {
  id: string;
  status?: 'partial' | 'success' | 'dead_letter' | 'cancelled';
  passed?: number;
  /** Changed ones; null where no file was changed. */
  lines?: number | null;
  endedMs?: number;
  said?: string;
}

function rowOf({
  id,
  status = 'partial',
  passed = 1,
  lines = 1,
  endedMs = 0,
  said = 'failed',
}: Member): TaskRow {
  const file = { path: 'a.js', status: 'modified', additions: lines, deletions: 0 };
  const files = lines === null ? [] : [file];
  return {
    id,
    status,
    seq: 1,
    finished_at: endedMs,
    verification_status: said,
    verification_report: JSON.stringify(checks(passed, 3)),
    result: JSON.stringify({ changes: { files } }),
  } as TaskRow;
}

const closest = (...members: Member[]) => closestMember(members.map(rowOf))?.id;

test.each<[string, Member, Member]>([
  ['done before in part', { id: 'best', status: 'success', passed: 0 }, { id: 'other', passed: 2 }],
  ['in part before failed', { id: 'best', passed: 0 }, { id: 'other', status: 'dead_letter', passed: 2 }],
  ['checks that prove something', { id: 'best', passed: 2 }, { id: 'other', passed: 3, said: 'unproven' }],
  ['most checks', { id: 'best', passed: 2, lines: 9 }, { id: 'other' }],
  ['one that changed something', { id: 'best', lines: 9 }, { id: 'other', lines: null }],
  ['one that changed a name only', { id: 'best', lines: 0 }, { id: 'other', lines: null }],
  ['fewest changed lines', { id: 'best', lines: 2, endedMs: 5 }, { id: 'other', lines: 3 }],
  ['the first to end', { id: 'best', endedMs: 1 }, { id: 'other', endedMs: 2 }],
])('the closest is %s', (_, best, other) => {
  expect(closest(best, other)).toBe('best');
  expect(closest(other, best)).toBe('best');
});

test('who was taken out does not count, and nobody may be left', () => {
  expect(closest({ id: 'out', status: 'cancelled', passed: 3 }, { id: 'in', passed: 0 })).toBe('in');
  expect(closest({ id: 'out', status: 'cancelled' })).toBeUndefined();
});

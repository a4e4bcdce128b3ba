/** Calls as tests of the ledger make them, and databases that are closed after each test. */
import { afterEach } from '@jest/globals';
import type { CostLedger } from '../../../sidecar/worker/ledger/cost-ledger.ts';
import { openStateDatabase, type StateDatabase } from '../../../sidecar/base/storage/state-database.ts';
import type { LedgerEstimate, Reservation } from '../../../sidecar/solving/run-ports.ts';
import type { CallCost } from '../../../sidecar/model/call-cost.ts';

export const call = (over: Partial<LedgerEstimate> = {}): LedgerEstimate => ({
  taskId: 't1',
  model: 'm',
  iteration: 1,
  tokensIn: 800,
  tokensOut: 200,
  ...over,
});
/** Two seconds of work. */
export const actual = (over: Partial<CallCost> = {}): CallCost => ({
  tokensIn: 800,
  tokensOut: 200,
  totalNs: 2e9,
  loadNs: 0,
  promptEvalNs: 1e9,
  evalNs: 1e9,
  ...over,
});
/** Throws where the budget is exhausted. */
export function reserved(ledger: CostLedger, over: Partial<LedgerEstimate> = {}): Reservation {
  const answer = ledger.check(call(over));
  if (!answer.ok) throw new Error(`exhausted: ${JSON.stringify(answer.exhausted)}`);
  return answer.reservation;
}

/** `opened`: those that are still open, oldest first. */
export function stateDatabases(): {
  open: (folder: string) => Promise<StateDatabase>;
  opened: StateDatabase[];
} {
  const opened: StateDatabase[] = [];
  afterEach(() => {
    for (const db of opened.splice(0)) db.close();
  });
  const open = async (folder: string): Promise<StateDatabase> => {
    const db = await openStateDatabase(folder);
    opened.push(db);
    return db;
  };
  return { open, opened };
}

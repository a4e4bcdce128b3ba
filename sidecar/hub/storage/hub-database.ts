import type { Kysely, Transaction } from 'kysely';
import type { DatabaseKind } from '../../base/storage/columns.ts';
import type { Tables } from './tables.ts';

export type { DatabaseKind };
export type HubTransaction = Transaction<Tables>;

export interface HubDatabase {
  readonly kind: DatabaseKind;
  readonly db: Kysely<Tables>;
  /** Runs `work` in one transaction. Resolves when the writes of `work` are on disk. */
  transaction<T>(work: (trx: HubTransaction) => Promise<T>): Promise<T>;
  close(): Promise<void>;
}

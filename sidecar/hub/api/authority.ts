/**
 * Who may do what: bearer tokens with a role, stored as SHA-256 only and compared in constant time.
 * Tokens from the start options are kept in memory, issued ones in the database.
 */
import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import type { Clock } from '../../ports.ts';
import type { HubStore } from '../storage/unit-of-work.ts';
import type { TokenRole } from '../storage/tables.ts';

export interface Identity {
  role: TokenRole;
  /** The worker that a worker's token is bound to; null: any. */
  agentId: string | null;
}

const ranks: Record<TokenRole, number> = { worker: 0, viewer: 1, submitter: 2, admin: 3 };
/** Whether a role includes another: an admin may submit, a submitter may look. */
export const mayActAs = (role: TokenRole, needed: TokenRole): boolean =>
  role !== 'worker' && ranks[role] >= ranks[needed];

const hashOf = (token: string): string => createHash('sha256').update(token, 'utf8').digest('hex');
const lookupOf = (hash: string): string => hash.slice(0, 16);
const sameHash = (a: string, b: string): boolean =>
  a.length === b.length && timingSafeEqual(Buffer.from(a), Buffer.from(b));

/** 256 random bits, with a prefix by which secret scanners and people see what it is. */
export const newToken = (role: TokenRole): string => `osc_${role}_${randomBytes(32).toString('base64url')}`;

export class Authority {
  readonly #store: HubStore;
  readonly #clock: Clock;
  readonly #configured: (Identity & { hash: string })[] = [];

  constructor(options: { store: HubStore; clock: Clock }) {
    this.#store = options.store;
    this.#clock = options.clock;
  }

  /** Accepts a token for as long as this hub runs. */
  configure(token: string, identity: Identity): void {
    this.#configured.push({ ...identity, hash: hashOf(token) });
  }

  /** Makes a token and stores its hash. Only this call returns the token itself. */
  async issue(role: TokenRole, agentId: string | null = null): Promise<string> {
    const token = newToken(role);
    const hash = hashOf(token);
    await this.#store.db
      .insertInto('tokens')
      .values({ lookup: lookupOf(hash), hash, role, agent_id: agentId, created_at: this.#clock.now() })
      .execute();
    return token;
  }

  /** The identity behind a token; undefined for an unknown one. */
  async identify(token: string): Promise<Identity | undefined> {
    const hash = hashOf(token);
    const configured = this.#configured.filter((one) => sameHash(one.hash, hash));
    if (configured[0]) return configured[0];
    const rows = await this.#store.db
      .selectFrom('tokens')
      .select(['hash', 'role', 'agent_id'])
      .where('lookup', '=', lookupOf(hash))
      .execute();
    const row = rows.find((one) => sameHash(one.hash, hash));
    return row && { role: row.role, agentId: row.agent_id };
  }
}

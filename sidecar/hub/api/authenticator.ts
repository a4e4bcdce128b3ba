/**
 * Authenticates callers by bearer tokens, each with a role. Tokens are stored only as SHA-256 and compared in constant
 * time. Tokens from the start options are held in memory, issued tokens in the database.
 */
import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import type { Clock, Logger } from '../../base/ports.ts';
import type { HubStore } from '../storage/unit-of-work.ts';
import type { TokenRole, TokenRow } from '../storage/tables.ts';

export interface Identity {
  role: TokenRole;
  /** Name of the caller, as shown in histories. */
  name: string;
  /** The issued token; null for a configured token, which is valid while the hub runs. */
  token: Pick<TokenRow, 'id' | 'expires_at'> | null;
  /** The worker that a worker's token is bound to; null for any. */
  workerId: string | null;
}

const ROLE_RANKS: Record<TokenRole, number> = { worker: 0, viewer: 1, submitter: 2, admin: 3 };
/** Returns whether a role includes another: an admin may submit, a submitter may view. */
export const mayActAs = (role: TokenRole, needed: TokenRole): boolean =>
  role !== 'worker' && ROLE_RANKS[role] >= ROLE_RANKS[needed];

const computeHash = (token: string): string => createHash('sha256').update(token, 'utf8').digest('hex');
const lookupKeyOf = (hash: string): string => hash.slice(0, 16);
const isSameHash = (a: string, b: string): boolean =>
  a.length === b.length && timingSafeEqual(Buffer.from(a), Buffer.from(b));

/** Creates a token of 256 random bits. Its prefix lets secret scanners and users recognize the token. */
export const createToken = (role: TokenRole): string =>
  `osc_${role}_${randomBytes(32).toString('base64url')}`;

interface TokenRequest {
  role: TokenRole;
  workerId?: string | undefined;
  /** Name of the token; default: the worker's id, or else the role. */
  name?: string | undefined;
  /** Lifetime of the token; default: unlimited. */
  lifeMs?: number | undefined;
}

const MAX_LISTED_TOKENS = 5_000;
const TOKEN_COLUMNS = ['id', 'name', 'role', 'agent_id', 'created_at', 'last_used_at', 'expires_at'] as const;

export class Authenticator {
  readonly #store: HubStore;
  readonly #clock: Clock;
  readonly #configuredTokens: (Identity & { hash: string })[] = [];
  readonly #uses: TokenUses;

  constructor(options: { store: HubStore; clock: Clock; logger: Logger }) {
    this.#store = options.store;
    this.#clock = options.clock;
    this.#uses = new TokenUses(options);
  }

  /** Accepts a token while this hub runs, without storing it. */
  configure(token: string, role: TokenRole, workerId: string | null = null): void {
    this.#configuredTokens.push({
      role,
      workerId,
      name: workerId ?? role,
      token: null,
      hash: computeHash(token),
    });
  }

  /** Creates a token and stores its hash. Only this call returns the token itself. */
  async issue({ role, workerId, name, lifeMs }: TokenRequest): Promise<TokenRow & { token: string }> {
    const token = createToken(role);
    const hash = computeHash(token);
    const now = this.#clock.now();
    const row: TokenRow = {
      id: randomBytes(6).toString('hex'),
      name: name ?? workerId ?? role,
      role,
      agent_id: workerId ?? null,
      created_at: now,
      last_used_at: null,
      expires_at: lifeMs === undefined ? null : now + lifeMs,
    };
    await this.#store.db
      .insertInto('tokens')
      .values({ ...row, lookup: lookupKeyOf(hash), hash })
      .execute();
    return { ...row, token };
  }

  /** Returns the issued tokens, oldest first. */
  list(): Promise<TokenRow[]> {
    return this.#store.db
      .selectFrom('tokens')
      .select(TOKEN_COLUMNS)
      .orderBy('created_at')
      .orderBy('name')
      .orderBy('id')
      .limit(MAX_LISTED_TOKENS)
      .execute();
  }

  /** Revokes and returns a token; undefined if there is no such token. */
  revoke(id: string): Promise<TokenRow | undefined> {
    return this.#store.run(async (unit) => {
      const row = await unit.trx
        .deleteFrom('tokens')
        .where('id', '=', id)
        .returning(TOKEN_COLUMNS)
        .executeTakeFirst();
      if (row) unit.announce({ kind: 'token_revoked', id });
      return row;
    });
  }

  /** Returns the identity of a token; undefined if it is unknown or has expired. */
  async identify(token: string): Promise<Identity | undefined> {
    const hash = computeHash(token);
    const matches = this.#configuredTokens.filter((one) => isSameHash(one.hash, hash));
    if (matches[0]) return matches[0];
    const rows = await this.#store.db
      .selectFrom('tokens')
      .select([...TOKEN_COLUMNS, 'hash'])
      .where('lookup', '=', lookupKeyOf(hash))
      .execute();
    const row = rows.find((one) => isSameHash(one.hash, hash));
    const now = this.#clock.now();
    if (!row || (row.expires_at ?? Infinity) <= now) return undefined;
    if (now - (row.last_used_at ?? -Infinity) >= USE_RECORD_INTERVAL_MS) await this.#uses.recordUse([row.id]);
    return { role: row.role, workerId: row.agent_id, name: row.name, token: row };
  }

  /** Calls `end`, which must not throw, when the token is revoked or expires. The returned function stops watching. */
  watchExpiry({ token }: Identity, end: () => void): () => void {
    return token ? this.#uses.add(token, end) : () => undefined;
  }

  /** Ends all uses of a token after its revocation, here or on another replica. */
  onRevoked(id: string): void {
    this.#uses.end(id);
  }

  close(): void {
    this.#uses.close();
  }
}

/** Minimum interval between two records of a token's use. */
const USE_RECORD_INTERVAL_MS = 60_000;

interface TokenUsesOptions {
  store: HubStore;
  clock: Clock;
  logger: Logger;
}
interface TokenUse {
  expiresAt: number;
  endCallbacks: Set<() => void>;
}

class TokenUses {
  readonly #options: TokenUsesOptions;
  readonly #uses = new Map<string, TokenUse>();
  #cancelCheck: () => void = () => undefined;
  #checkAtMs = Infinity;
  #nextRecordAtMs = 0;

  constructor(options: TokenUsesOptions) {
    this.#options = options;
  }

  add({ id, expires_at: expiresAt }: Pick<TokenRow, 'id' | 'expires_at'>, end: () => void): () => void {
    const use = this.#uses.get(id) ?? { expiresAt: expiresAt ?? Infinity, endCallbacks: new Set() };
    // Each use has its own wrapper, since the same function may be passed twice.
    const endUse = () => end();
    use.endCallbacks.add(endUse);
    this.#uses.set(id, use);
    this.#scheduleCheck(use.expiresAt);
    return () => {
      use.endCallbacks.delete(endUse);
      if (use.endCallbacks.size === 0 && this.#uses.get(id) === use) this.#uses.delete(id);
    };
  }

  end(id: string): void {
    const { endCallbacks = [] } = this.#uses.get(id) ?? {};
    this.#uses.delete(id);
    for (const end of endCallbacks) end();
  }

  /** Records the use of tokens and returns the ids that exist. Rejects if the database fails. */
  async recordUse(ids: readonly string[]): Promise<string[]> {
    if (ids.length === 0) return [];
    const rows = await this.#options.store.db
      .updateTable('tokens')
      .set({ last_used_at: this.#options.clock.now() })
      .where('id', 'in', ids)
      .returning('id')
      .execute();
    return rows.map(({ id }) => id);
  }

  close(): void {
    this.#cancelCheck();
    this.#uses.clear();
  }

  /** Schedules the next check for `atMs`, or for one minute from now if that is earlier. */
  #scheduleCheck(atMs: number): void {
    const { clock } = this.#options;
    const now = clock.now();
    const nextCheckMs = Math.min(atMs, now + USE_RECORD_INTERVAL_MS);
    if (nextCheckMs >= this.#checkAtMs) return;
    this.#cancelCheck();
    this.#checkAtMs = nextCheckMs;
    this.#cancelCheck = clock.schedule(Math.max(0, nextCheckMs - now), () => {
      this.#checkAtMs = Infinity;
      void this.#check().finally(() => {
        const ends = [...this.#uses.values()].map(({ expiresAt }) => expiresAt);
        if (ends.length > 0) this.#scheduleCheck(ends.reduce((first, one) => Math.min(first, one)));
      });
    });
  }

  /** Ends the uses of expired tokens and records the use of the other tokens. Never rejects. */
  async #check(): Promise<void> {
    const { clock, logger } = this.#options;
    const now = clock.now();
    for (const [id, { expiresAt }] of this.#uses) if (expiresAt <= now) this.end(id);
    if (now < this.#nextRecordAtMs) return;
    this.#nextRecordAtMs = now + USE_RECORD_INTERVAL_MS;
    const ids = [...this.#uses.keys()];
    try {
      const knownIds = new Set(await this.recordUse(ids));
      for (const id of ids) if (!knownIds.has(id)) this.end(id);
    } catch (error) {
      logger.warn({ err: error }, 'the time of the last use of API tokens could not be recorded');
    }
  }
}

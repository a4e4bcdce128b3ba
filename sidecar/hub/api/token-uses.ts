/**
 * Connections and streams that use a token: they end when it expires or is revoked. Once a minute one statement records
 * the use of all; a token that it does not find was revoked without a message, and its uses end as well.
 */
import type { Clock, Logger } from '../../ports.ts';
import type { TokenRow } from '../storage/tables.ts';
import type { HubStore } from '../storage/unit-of-work.ts';

/** Minimum interval between two records of a token's use. */
export const NOTE_USE_EVERY_MS = 60_000;

interface TokenUsesOptions {
  store: HubStore;
  clock: Clock;
  logger: Logger;
}
interface Use {
  expiresAt: number;
  ends: Set<() => void>;
}

export class TokenUses {
  readonly #options: TokenUsesOptions;
  readonly #uses = new Map<string, Use>();
  #cancelCheck: () => void = () => undefined;
  #checkAtMs = Infinity;
  #notesAtMs = 0;

  constructor(options: TokenUsesOptions) {
    this.#options = options;
  }

  add({ id, expires_at: expiresAt }: Pick<TokenRow, 'id' | 'expires_at'>, end: () => void): () => void {
    const use = this.#uses.get(id) ?? { expiresAt: expiresAt ?? Infinity, ends: new Set() };
    // A wrapper, since the same function may be passed twice.
    const one = () => end();
    use.ends.add(one);
    this.#uses.set(id, use);
    this.#scheduleCheck(use.expiresAt);
    return () => {
      use.ends.delete(one);
      if (use.ends.size === 0 && this.#uses.get(id) === use) this.#uses.delete(id);
    };
  }

  end(id: string): void {
    const { ends = [] } = this.#uses.get(id) ?? {};
    this.#uses.delete(id);
    for (const end of ends) end();
  }

  /** Records the use of tokens and returns the ids that exist. Rejects if the database fails. */
  async note(ids: readonly string[]): Promise<string[]> {
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

  /** Schedules the next check for `atMs`, or in a minute if that is earlier. */
  #scheduleCheck(atMs: number): void {
    const { clock } = this.#options;
    const now = clock.now();
    const next = Math.min(atMs, now + NOTE_USE_EVERY_MS);
    if (next >= this.#checkAtMs) return;
    this.#cancelCheck();
    this.#checkAtMs = next;
    this.#cancelCheck = clock.schedule(Math.max(0, next - now), () => {
      this.#checkAtMs = Infinity;
      void this.#check().finally(() => {
        const ends = [...this.#uses.values()].map(({ expiresAt }) => expiresAt);
        if (ends.length > 0) this.#scheduleCheck(ends.reduce((first, one) => Math.min(first, one)));
      });
    });
  }

  /** Ends expired uses and records the others. Never rejects. */
  async #check(): Promise<void> {
    const { clock, logger } = this.#options;
    const now = clock.now();
    for (const [id, { expiresAt }] of this.#uses) if (expiresAt <= now) this.end(id);
    if (now < this.#notesAtMs) return;
    this.#notesAtMs = now + NOTE_USE_EVERY_MS;
    const ids = [...this.#uses.keys()];
    try {
      const known = new Set(await this.note(ids));
      for (const id of ids) if (!known.has(id)) this.end(id);
    } catch (error) {
      logger.warn({ err: error }, 'the use of tokens could not be recorded');
    }
  }
}

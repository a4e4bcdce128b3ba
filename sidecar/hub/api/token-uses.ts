/**
 * Connections and streams that are open with a token: they end when it expires or is revoked. Once a minute their use is
 * written down, for all of them in one statement; a token that is gone by then, of which no message came, ends as well.
 */
import type { Clock, Logger } from '../../ports.ts';
import type { TokenRow } from '../storage/tables.ts';
import type { HubStore } from '../storage/unit-of-work.ts';

/** The use of a token is written at most this often. */
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
  #cancelLook: () => void = () => undefined;
  #looksAtMs = Infinity;
  #notesAtMs = 0;

  constructor(options: TokenUsesOptions) {
    this.#options = options;
  }

  add({ id, expires_at: expiresAt }: Pick<TokenRow, 'id' | 'expires_at'>, end: () => void): () => void {
    const use = this.#uses.get(id) ?? { expiresAt: expiresAt ?? Infinity, ends: new Set() };
    // The same function may be given twice.
    const one = () => end();
    use.ends.add(one);
    this.#uses.set(id, use);
    this.#lookBy(use.expiresAt);
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

  /** Writes down that these are used; gives those that there are. Rejects when the database does. */
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
    this.#cancelLook();
    this.#uses.clear();
  }

  /** Looks at `atMs`, and within a minute. */
  #lookBy(atMs: number): void {
    const { clock } = this.#options;
    const now = clock.now();
    const next = Math.min(atMs, now + NOTE_USE_EVERY_MS);
    if (next >= this.#looksAtMs) return;
    this.#cancelLook();
    this.#looksAtMs = next;
    this.#cancelLook = clock.schedule(Math.max(0, next - now), () => {
      this.#looksAtMs = Infinity;
      void this.#look().finally(() => {
        const ends = [...this.#uses.values()].map(({ expiresAt }) => expiresAt);
        if (ends.length > 0) this.#lookBy(ends.reduce((first, one) => Math.min(first, one)));
      });
    });
  }

  /** Never rejects. */
  async #look(): Promise<void> {
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
      logger.warn({ err: error }, 'the use of tokens could not be written down');
    }
  }
}

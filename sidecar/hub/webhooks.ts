/**
 * Webhook reports of ended tasks. A report is stored in the transaction that ends its task and sent until the receiver
 * accepts it, also after restarts; only one replica sends it. Headers and signature follow Standard Webhooks.
 */
import { createHmac } from 'node:crypto';
import type { Clock, Logger } from '../base/ports.ts';
import { errorMessage } from '../base/values/errors.ts';
import { removeCredentials } from '../base/addresses/credentials.ts';
import { DAY_MS } from './storage/count-figures.ts';
import type { HubStore } from './storage/unit-of-work.ts';
import type { ReportRow } from './storage/tables.ts';
import { runWithTimeLimit } from '../base/system/clock.ts';

export interface Webhook {
  url: string;
  /** Key of the signature; without a key, reports are not signed. */
  secret?: string | undefined;
}

const TIMEOUT_MS = 10_000;
/** How long a report is reserved for the replica that sends it. */
const CLAIM_MS = TIMEOUT_MS + 5_000;
const MIN_RETRY_MS = 5_000;
const MAX_RETRY_MS = 15 * 60_000;
const MAX_AGE_MS = 3 * DAY_MS;
/** Maximum number of reports sent at once. */
const BATCH_REPORTS = 8;

interface WebhooksOptions {
  store: HubStore;
  clock: Clock;
  logger: Logger;
  hooks: readonly Webhook[];
}

export class Webhooks {
  readonly #options: WebhooksOptions;
  readonly #closing = new AbortController();
  #lastSend: Promise<void> | undefined;
  #isWoken = false;
  #cancelTimer: () => void = () => undefined;

  constructor(options: WebhooksOptions) {
    this.#options = options;
  }

  /** Sends the reports that are due. Never throws. */
  wake(): void {
    if (this.#options.hooks.length === 0 || this.#closing.signal.aborted) return;
    this.#isWoken = true;
    this.#lastSend ??= this.#sendAll().finally(() => {
      this.#lastSend = undefined;
      // A report may have come after the last look.
      if (this.#isWoken) this.wake();
    });
  }

  async close(): Promise<void> {
    this.#closing.abort();
    this.#cancelTimer();
    await this.#lastSend;
  }

  /** Sends all due reports. Never rejects. */
  async #sendAll(): Promise<void> {
    const { clock, logger } = this.#options;
    let nextMs = clock.now() + MIN_RETRY_MS;
    try {
      while (this.#isWoken && !this.#closing.signal.aborted) {
        this.#isWoken = false;
        const dueReports = await this.#readDue();
        await Promise.all(dueReports.map((report) => this.#send(report)));
        if (dueReports.length === BATCH_REPORTS) this.#isWoken = true;
      }
      nextMs = await this.#findNextDue();
    } catch (error) {
      logger.error({ err: error }, 'webhook reports could not be read, trying again');
    }
    this.#cancelTimer();
    if (nextMs === Infinity || this.#closing.signal.aborted) return;
    this.#cancelTimer = clock.schedule(Math.max(0, nextMs - clock.now()), () => this.wake());
  }

  #readDue(): Promise<ReportRow[]> {
    const { store, clock } = this.#options;
    return store.db
      .selectFrom('reports')
      .selectAll()
      .where('next_at', '<=', clock.now())
      .orderBy('next_at')
      .limit(BATCH_REPORTS)
      .execute();
  }

  async #findNextDue(): Promise<number> {
    const { db } = this.#options.store;
    const row = await db
      .selectFrom('reports')
      .select(({ fn }) => fn.min<number | null>('next_at').as('at'))
      .executeTakeFirst();
    return row?.at ?? Infinity;
  }

  async #send(report: ReportRow): Promise<void> {
    const { hooks, clock, logger } = this.#options;
    if (!(await this.#claim(report))) return;
    const hook = hooks.find(({ url }) => url === report.url);
    const fields = { url: removeCredentials(report.url), task_id: report.task_id };
    if (!hook) {
      logger.warn(fields, 'a webhook report was dropped: its webhook is no longer configured');
      return this.#remove(report);
    }
    const problem = await this.#post(hook, report);
    if (problem === undefined) return this.#remove(report);
    const attempts = report.attempts + 1;
    if (clock.now() - report.created_at > MAX_AGE_MS) {
      logger.error(
        { ...fields, attempts, problem },
        'a webhook report was dropped after three days of failed attempts',
      );
      return this.#remove(report);
    }
    if (attempts === 1)
      logger.warn({ ...fields, problem }, 'a webhook did not accept a report, trying again');
    await this.#setNext(report, clock.now() + Math.min(MAX_RETRY_MS, MIN_RETRY_MS * 2 ** report.attempts));
  }

  /** Reserves the report for this replica; returns false if another replica has done so. */
  async #claim({ id, attempts }: ReportRow): Promise<boolean> {
    const { store, clock } = this.#options;
    const { numUpdatedRows } = await store.db
      .updateTable('reports')
      .set({ attempts: attempts + 1, next_at: clock.now() + CLAIM_MS })
      .where('id', '=', id)
      .where('attempts', '=', attempts)
      .executeTakeFirst();
    return numUpdatedRows > 0n;
  }

  async #setNext({ id }: ReportRow, nextAt: number): Promise<void> {
    await this.#options.store.db
      .updateTable('reports')
      .set({ next_at: nextAt })
      .where('id', '=', id)
      .execute();
  }

  async #remove({ id }: ReportRow): Promise<void> {
    await this.#options.store.db.deleteFrom('reports').where('id', '=', id).execute();
  }

  /** Sends a report. Returns the receiver's reason for refusing it; undefined if the report was accepted. */
  async #post(
    { url, secret }: Webhook,
    { id, task_id: taskId, body }: ReportRow,
  ): Promise<string | undefined> {
    const messageId = `${taskId}-${id}`;
    // A new timestamp for each attempt: receivers refuse a message that is minutes old.
    const timestamp = String(Math.floor(this.#options.clock.now() / 1_000));
    try {
      const headers = {
        'content-type': 'application/json',
        'webhook-id': messageId,
        'webhook-timestamp': timestamp,
        ...(secret !== undefined && {
          'webhook-signature': signMessage(secret, `${messageId}.${timestamp}.${body}`),
        }),
      };
      const send = async (signal: AbortSignal): Promise<Response> => {
        const response = await fetch(url, { method: 'POST', redirect: 'error', headers, body, signal });
        await response.body?.cancel();
        return response;
      };
      const response = await runWithTimeLimit(send, TIMEOUT_MS, this.#closing.signal);
      return response.ok ? undefined : `HTTP ${response.status}`;
    } catch (error) {
      return errorMessage(error);
    }
  }
}

/** Signs a message as Standard Webhooks requires: a key with the prefix `whsec_` is base64, any other is used as is. */
function signMessage(secret: string, text: string): string {
  const encodedKey = /^whsec_(.+)$/u.exec(secret)?.[1];
  const key = encodedKey === undefined ? secret : Buffer.from(encodedKey, 'base64');
  return `v1,${createHmac('sha256', key).update(text, 'utf8').digest('base64')}`;
}

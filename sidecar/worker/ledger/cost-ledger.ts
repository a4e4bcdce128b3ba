/**
 * The cost ledger reserves every model call by its estimate and settles it with the real figures afterwards. So concurrent
 * tasks can exceed a budget only by what their calls cost above their estimates. Budgets are checked against periods that are held in memory.
 */
import type { Clock, Logger } from '../../base/ports.ts';
import type { StateDatabase } from '../../base/storage/state-database.ts';
import {
  addTotals,
  sanitizeCost,
  sanitizeEstimate,
  gpuSecondsOf,
  createZeroAmount,
  createZeroTotals,
  priceOf,
  type Amount,
  type ModelPrice,
} from './amount.ts';
import { limitsOf, tightenLimits, findExceededUnit, type LedgerBudgets, type UnitLimits } from './budgets.ts';
import { createLedgerStore, type LedgerStore } from './ledger-store.ts';
import type { RetentionLimits } from './prune-calls.ts';
import { SpendingWindow } from './spending-window.ts';
import type {
  Exhausted,
  Ledger,
  LedgerEstimate,
  LedgerTotals,
  Reservation,
} from '../../solving/run-ports.ts';
import type { CallCost } from '../../model/call-cost.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
/** Maximum number of tasks whose totals are cached in memory; totals of older tasks are read again when needed. */
const MAX_CACHED_TASKS = 1_000;

export interface CostLedgerOptions {
  /** Database that stores the rows; without it, the ledger exists only in memory. */
  db?: Pick<StateDatabase, 'ledger'>;
  budgets?: LedgerBudgets;
  /** Prices by model name, or a function (such as the catalog's). */
  prices?: Record<string, ModelPrice> | ((model: string) => ModelPrice | undefined);
  clock?: Pick<Clock, 'now'>;
  logger?: Logger;
}

interface OpenCall {
  taskId: string;
  model: string;
  atMs: number;
  amount: Amount;
}
interface TaskSpending {
  totals: LedgerTotals;
  reservedAmount: Amount;
}
interface RollingBudget {
  limits: UnitLimits;
  window: SpendingWindow;
}
interface BudgetScope {
  name: Exhausted['scope'];
  limits: UnitLimits;
  usedAmount: Readonly<Amount>;
  window?: SpendingWindow;
}

/** Ledger of call costs. The constructor throws `StorageError`; later disk failures are logged, and counting continues in memory. */
export class CostLedger implements Ledger {
  readonly #store: LedgerStore | undefined;
  readonly #clock: Pick<Clock, 'now'>;
  readonly #logger: Logger | undefined;
  readonly #priceOf: (model: string) => ModelPrice | undefined;
  readonly #taskLimits: UnitLimits;
  readonly #hour: RollingBudget;
  readonly #day: RollingBudget;
  readonly #models = new Map<string, RollingBudget>();
  readonly #tasks = new Map<string, TaskSpending>();
  readonly #openCalls = new Map<number, OpenCall>();
  /** GPU seconds per token by model, learned from settled calls; for estimates without GPU seconds. */
  readonly #secondsPerToken = new Map<string, number>();
  #lastId = 0;

  constructor({ db, budgets = {}, prices = {}, clock = Date, logger }: CostLedgerOptions = {}) {
    this.#clock = clock;
    this.#logger = logger;
    this.#priceOf =
      typeof prices === 'function'
        ? prices
        : (model) => (Object.hasOwn(prices, model) ? prices[model] : undefined);
    this.#taskLimits = limitsOf(budgets.perTask);
    this.#hour = { limits: limitsOf(budgets.perHour), window: new SpendingWindow(HOUR_MS, 60) };
    this.#day = { limits: limitsOf(budgets.perDay), window: new SpendingWindow(DAY_MS, 288) };
    for (const [model, budget] of Object.entries(budgets.perModel ?? {})) {
      this.#models.set(model, { limits: limitsOf(budget), window: new SpendingWindow(DAY_MS, 288) });
    }
    this.#store = db && createLedgerStore(db.ledger);
    this.#rebuild();
  }

  check(
    estimate: LedgerEstimate,
  ): { ok: true; reservation: Reservation } | { ok: false; exhausted: Exhausted } {
    const call = sanitizeEstimate(estimate);
    const nowMs = Math.round(this.#clock.now());
    const amount = this.#estimate(call);
    const task = this.#getOrReadTask(call.taskId);
    for (const scope of this.#buildScopes(call, task, nowMs)) {
      const unit = findExceededUnit(scope.limits, scope.usedAmount, amount);
      if (unit) return { ok: false, exhausted: exhaustedOf(scope, unit, amount, nowMs) };
    }
    const id = this.#reserve(call, amount, nowMs);
    this.#openCalls.set(id, { taskId: call.taskId, model: call.model, atMs: nowMs, amount });
    this.#spend(call.model, nowMs, amount, 1);
    addAmount(task.reservedAmount, amount, 1);
    return { ok: true, reservation: { id } };
  }

  settle(reservation: Reservation, actual: CallCost): { costUsd: number } {
    const openCall = this.#openCalls.get(reservation.id);
    if (!openCall) return { costUsd: 0 };
    this.#openCalls.delete(reservation.id);
    const task = this.#getOrReadTask(openCall.taskId);
    addAmount(task.reservedAmount, openCall.amount, -1);
    this.#spend(openCall.model, openCall.atMs, openCall.amount, -1);
    const figures = sanitizeCost(actual);
    if (Object.values(figures).every((figure) => figure === 0)) {
      this.#persist(() => this.#store?.release(reservation.id));
      return { costUsd: 0 };
    }
    const nowMs = Math.round(this.#clock.now());
    const amount = priceOf({ ...figures, gpuSeconds: gpuSecondsOf(figures) }, this.#priceOf(openCall.model));
    this.#spend(openCall.model, nowMs, amount, 1);
    this.#updateRate(openCall.model, amount);
    const { tokensIn, tokensOut } = figures;
    const { gpu_seconds: gpuSeconds, usd: costUsd } = amount;
    task.totals = addTotals(task.totals, { calls: 1, tokensIn, tokensOut, gpuSeconds, costUsd });
    this.#persist(() => this.#store?.settle(reservation.id, openCall.taskId, figures, amount, nowMs));
    return { costUsd };
  }

  readTaskTotals(taskId: string): LedgerTotals {
    return { ...this.#getOrReadTask(taskId).totals };
  }

  /**
   * Converts up to `maxRows` calls outside of the limits to sums. Returns the number of removed rows. Budgets are not
   * affected. Throws `StorageError`.
   */
  prune(retention: RetentionLimits, maxRows: number): number {
    return this.#store?.prune(retention, Math.round(this.#clock.now()), maxRows) ?? 0;
  }

  /** Returns the amounts spent and reserved, by scope, for metrics and users. */
  readWindows(): { hour: Amount; day: Amount } {
    const nowMs = Math.round(this.#clock.now());
    return { hour: { ...this.#hour.window.totalAt(nowMs) }, day: { ...this.#day.window.totalAt(nowMs) } };
  }

  #buildScopes(call: LedgerEstimate, task: TaskSpending, nowMs: number): BudgetScope[] {
    const model = this.#models.get(call.model);
    const buildScope = (name: BudgetScope['name'], budget: RollingBudget): BudgetScope => ({
      name,
      ...budget,
      usedAmount: budget.window.totalAt(nowMs),
    });
    return [
      {
        name: 'task',
        limits: tightenLimits(this.#taskLimits, call.budget),
        usedAmount: chargedAmountOf(task),
      },
      buildScope('hour', this.#hour),
      buildScope('day', this.#day),
      ...(model ? [buildScope('model', model)] : []),
    ];
  }

  #estimate(call: LedgerEstimate): Amount {
    const { tokensIn, tokensOut, model } = call;
    const estimatedSeconds = (this.#secondsPerToken.get(model) ?? 0) * (tokensIn + tokensOut);
    return priceOf(
      { tokensIn, tokensOut, gpuSeconds: call.gpuSeconds ?? estimatedSeconds },
      this.#priceOf(model),
    );
  }

  #updateRate(model: string, amount: Amount): void {
    if (amount.tokens === 0) return;
    const rate = amount.gpu_seconds / amount.tokens;
    const previous = this.#secondsPerToken.get(model) ?? rate;
    this.#secondsPerToken.set(model, previous * 0.8 + rate * 0.2);
  }

  #spend(model: string, atMs: number, amount: Amount, sign: 1 | -1): void {
    this.#hour.window.add(atMs, amount, sign);
    this.#day.window.add(atMs, amount, sign);
    this.#models.get(model)?.window.add(atMs, amount, sign);
  }

  #reserve(call: LedgerEstimate, amount: Amount, nowMs: number): number {
    const id = this.#persist(() => this.#store?.reserve(call, amount, nowMs));
    if (id !== undefined) return id;
    // The ids of calls in memory are negative, so that they never equal a row's id.
    this.#lastId -= 1;
    return this.#lastId;
  }

  #getOrReadTask(taskId: string): TaskSpending {
    const cached = this.#tasks.get(taskId);
    if (cached) return cached;
    const totals = this.#persist(() => this.#store?.readTaskTotals(taskId)) ?? createZeroTotals();
    const task = { totals, reservedAmount: createZeroAmount() };
    this.#tasks.set(taskId, task);
    this.#forgetOldTasks();
    return task;
  }

  /** Removes cached totals that the database can restore, except those of tasks with a running call. */
  #forgetOldTasks(): void {
    if (!this.#store || this.#tasks.size <= MAX_CACHED_TASKS) return;
    const busyTaskIds = new Set([...this.#openCalls.values()].map((openCall) => openCall.taskId));
    for (const taskId of this.#tasks.keys()) {
      if (this.#tasks.size <= MAX_CACHED_TASKS / 2) return;
      if (!busyTaskIds.has(taskId)) this.#tasks.delete(taskId);
    }
  }

  #rebuild(): void {
    if (!this.#store) return;
    const interruptedCount = this.#store.settleInterruptedCalls();
    if (interruptedCount > 0) {
      this.#logger?.warn(
        { calls: interruptedCount },
        'Interrupted calls are counted with their estimated tokens',
      );
    }
    for (const { atMs, model, ...amount } of this.#store.readSpendingSince(this.#clock.now() - DAY_MS)) {
      this.#spend(model, atMs, amount, 1);
    }
  }

  #persist<T>(write: () => T): T | undefined {
    try {
      return write();
    } catch (error) {
      this.#logger?.error(
        { error: String(error) },
        'The ledger could not be written; counting continues in memory',
      );
      return undefined;
    }
  }
}

function exhaustedOf(
  scope: BudgetScope,
  unit: Exhausted['unit'],
  estimate: Amount,
  nowMs: number,
): Exhausted {
  const limit = scope.limits[unit];
  const freesAtMs = scope.window?.computeFreeAtMs(nowMs, unit, limit - estimate[unit]);
  return {
    scope: scope.name,
    unit,
    limit,
    used: scope.usedAmount[unit],
    ...(freesAtMs !== undefined && { freesAtMs }),
  };
}

const chargedAmountOf = ({ totals, reservedAmount }: TaskSpending): Amount => ({
  tokens: totals.tokensIn + totals.tokensOut + reservedAmount.tokens,
  usd: totals.costUsd + reservedAmount.usd,
  gpu_seconds: totals.gpuSeconds + reservedAmount.gpu_seconds,
});

function addAmount(sum: Amount, amount: Amount, sign: 1 | -1): void {
  sum.tokens += sign * amount.tokens;
  sum.usd += sign * amount.usd;
  sum.gpu_seconds += sign * amount.gpu_seconds;
}

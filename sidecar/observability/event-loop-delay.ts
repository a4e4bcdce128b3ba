/**
 * How late the event loop is, looked at once a second: each look wakes the process, and an idle one is to sleep. Takes the
 * place of the figures of `prom-client`, which hold the pause between two looks as well.
 */
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { Gauge, type Registry } from 'prom-client';

const LOOK_EVERY_MS = 1_000;
/** The precision to give `prom-client`: so rare that its own looks wake nobody. */
export const NEVER_MS = 2 ** 31 - 1;

const FIGURES = ['min', 'max', 'mean', 'stddev', 'p50', 'p90', 'p99'] as const;
type Figure = (typeof FIGURES)[number];

/** Replaces the figures of `register`, each since the last scrape. The looks go on until the process ends. */
export function addEventLoopDelay(register: Registry): void {
  const histogram = monitorEventLoopDelay({ resolution: LOOK_EVERY_MS });
  histogram.enable();
  const gauges = new Map<Figure, Gauge>();
  const collect = (): void => {
    const isEmpty = histogram.count === 0;
    for (const [figure, gauge] of gauges) gauge.set(isEmpty ? 0 : secondsOf(histogram, figure));
    histogram.reset();
  };
  for (const [index, figure] of FIGURES.entries()) {
    const name = `nodejs_eventloop_lag_${figure}_seconds`;
    register.removeSingleMetric(name);
    const help = `Delay of the event loop since the last scrape: ${figure}.`;
    // The first one is read first, and sets all of them.
    gauges.set(figure, new Gauge({ name, help, registers: [register], ...(index === 0 && { collect }) }));
  }
}

/** The time between two looks is recorded. */
function secondsOf(histogram: ReturnType<typeof monitorEventLoopDelay>, figure: Figure): number {
  if (figure === 'stddev') return histogram.stddev / 1e9;
  const betweenNs = figure.startsWith('p')
    ? histogram.percentile(Number(figure.slice(1)))
    : histogram[figure as 'min' | 'max' | 'mean'];
  return Math.max(0, betweenNs / 1e9 - LOOK_EVERY_MS / 1_000);
}

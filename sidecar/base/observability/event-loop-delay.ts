/**
 * Measures the delay of the event loop once a second, since each sample wakes the process. Replaces the metrics of
 * `prom-client`, which include the interval between two samples.
 */
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { Gauge, type Registry } from 'prom-client';

const SAMPLE_INTERVAL_MS = 1_000;
/** Sampling interval for `prom-client`, so long that its own samples never wake the process. */
export const NEVER_MS = 2 ** 31 - 1;

const FIGURES = ['min', 'max', 'mean', 'stddev', 'p50', 'p90', 'p99'] as const;
type Figure = (typeof FIGURES)[number];

/** Replaces the metrics in `register`, each since the last scrape. Sampling continues until the process ends. */
export function addEventLoopDelay(register: Registry): void {
  const histogram = monitorEventLoopDelay({ resolution: SAMPLE_INTERVAL_MS });
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
    // The first gauge is read first and sets all of them.
    gauges.set(figure, new Gauge({ name, help, registers: [register], ...(index === 0 && { collect }) }));
  }
}

/** Returns a figure without the interval: the histogram records the time between two samples. */
function secondsOf(histogram: ReturnType<typeof monitorEventLoopDelay>, figure: Figure): number {
  if (figure === 'stddev') return histogram.stddev / 1e9;
  const betweenNs = figure.startsWith('p')
    ? histogram.percentile(Number(figure.slice(1)))
    : histogram[figure as 'min' | 'max' | 'mean'];
  return Math.max(0, betweenNs / 1e9 - SAMPLE_INTERVAL_MS / 1_000);
}

/**
 * Measures the delay of the event loop only once a second, since each sample wakes the process. Replaces the metrics of `prom-client`,
 * whose values include the interval between two samples.
 */
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { Gauge, type Registry } from 'prom-client';

const SAMPLE_INTERVAL_MS = 1_000;
/** Sampling interval for `prom-client`. It is the longest possible, so that samples of `prom-client` do not wake the process. */
export const MAX_SAMPLING_INTERVAL_MS = 2 ** 31 - 1;

const DELAY_STATISTICS = ['min', 'max', 'mean', 'stddev', 'p50', 'p90', 'p99'] as const;
type DelayStatistic = (typeof DELAY_STATISTICS)[number];

/**
 * Replaces the event-loop metrics in `register` with metrics that cover the time since the last scrape. Sampling continues until the
 * process ends.
 */
export function addEventLoopDelay(register: Registry): void {
  const histogram = monitorEventLoopDelay({ resolution: SAMPLE_INTERVAL_MS });
  histogram.enable();
  const gauges = new Map<DelayStatistic, Gauge>();
  const collect = (): void => {
    const isEmpty = histogram.count === 0;
    for (const [statistic, gauge] of gauges) gauge.set(isEmpty ? 0 : secondsOf(histogram, statistic));
    histogram.reset();
  };
  for (const [index, statistic] of DELAY_STATISTICS.entries()) {
    const name = `nodejs_eventloop_lag_${statistic}_seconds`;
    register.removeSingleMetric(name);
    const help = `Delay of the event loop since the last scrape: ${statistic}.`;
    // At a scrape, the first gauge is read first. It sets the values of all gauges.
    gauges.set(statistic, new Gauge({ name, help, registers: [register], ...(index === 0 && { collect }) }));
  }
}

/** Returns a statistic of the delay in seconds: the recorded time between two samples minus the sampling interval. */
function secondsOf(histogram: ReturnType<typeof monitorEventLoopDelay>, statistic: DelayStatistic): number {
  if (statistic === 'stddev') return histogram.stddev / 1e9;
  const intervalNs = statistic.startsWith('p')
    ? histogram.percentile(Number(statistic.slice(1)))
    : histogram[statistic as 'min' | 'max' | 'mean'];
  return Math.max(0, intervalNs / 1e9 - SAMPLE_INTERVAL_MS / 1_000);
}

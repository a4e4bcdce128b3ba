/** Adds metrics of worker and hub. Importing this file loads `prom-client`, so import it only if metrics are served. */
import { Counter, Gauge, Registry, collectDefaultMetrics } from 'prom-client';
import { VERSION } from '../system/version.ts';
import { addEventLoopDelay, MAX_SAMPLING_INTERVAL_MS } from './event-loop-delay.ts';

/** Answer to a scrape: the metrics as text, and the media type. */
export interface Exposition {
  contentType: string;
  body: string;
}

/** Adds a gauge whose value is read at each scrape. */
export function addGauge(registers: Registry[], name: string, help: string, read: () => number): Gauge {
  return new Gauge({
    name,
    help,
    registers,
    collect() {
      this.set(read());
    },
  });
}

/** Sets the value of a metric for one combination of labels. */
export type ValueSetter = (labels: Record<string, string>, value: number) => void;
type ValueReader = (set: ValueSetter) => void;

/** Adds a labelled metric whose values are read at each scrape. */
export function addLabelledMetric(
  registers: Registry[],
  name: string,
  help: string,
  labelNames: string[],
  read: ValueReader,
): void {
  const isCounter = name.endsWith('_total');
  const metric = new (isCounter ? Counter : Gauge)({
    name,
    help,
    labelNames,
    registers,
    collect: () => {
      metric.reset();
      read((labels, value) => metric.inc(labels, value));
    },
  });
}

let processRegistry: Registry | undefined;

/**
 * Returns metrics of this process, such as memory and event-loop delay. They are created only once, since their timers cannot be stopped.
 */
export function getProcessMetrics(): Registry {
  if (processRegistry) return processRegistry;
  processRegistry = new Registry();
  collectDefaultMetrics({
    register: processRegistry,
    eventLoopMonitoringPrecision: MAX_SAMPLING_INTERVAL_MS,
  });
  addEventLoopDelay(processRegistry);
  const build = 'The version of this program; always 1';
  addLabelledMetric([processRegistry], 'sidecar_build_info', build, ['version'], (set) =>
    set({ version: VERSION }, 1),
  );
  return processRegistry;
}

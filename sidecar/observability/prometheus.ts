/**
 * Shared by the metrics of worker and hub. Loads `prom-client`, so import it only where
 * metrics are served.
 */
import { Counter, Gauge, Registry, collectDefaultMetrics } from 'prom-client';
import { VERSION } from '../system/version.ts';
import { addEventLoopDelay, NEVER_MS } from './event-loop-delay.ts';

/** The answer to a scrape: the exposition text and its media type. */
export interface Exposition {
  contentType: string;
  body: string;
}

/** Adds a gauge that is read at each scrape. */
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

/** Sets the value of one combination of labels. */
export type SetValue = (labels: Record<string, string>, value: number) => void;
type ReadValues = (set: SetValue) => void;

/** Adds a metric with labels whose values live elsewhere: they are read again at each scrape. */
export function addLabelled(
  registers: Registry[],
  name: string,
  help: string,
  labelNames: string[],
  read: ReadValues,
): void {
  const isTotal = name.endsWith('_total');
  const metric = new (isTotal ? Counter : Gauge)({
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

let ofProcess: Registry | undefined;

/** Memory and event-loop delay among others. Made once per process, since its timers cannot be stopped. */
export function processMetrics(): Registry {
  if (ofProcess) return ofProcess;
  ofProcess = new Registry();
  collectDefaultMetrics({ register: ofProcess, eventLoopMonitoringPrecision: NEVER_MS });
  addEventLoopDelay(ofProcess);
  const build = 'The version of this program; always 1';
  addLabelled([ofProcess], 'sidecar_build_info', build, ['version'], (set) => set({ version: VERSION }, 1));
  return ofProcess;
}

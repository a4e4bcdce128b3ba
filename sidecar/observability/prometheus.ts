/**
 * Shared by the metrics of worker and hub. Loads `prom-client`, so import it only where
 * metrics are served.
 */
import { Gauge, Registry, collectDefaultMetrics } from 'prom-client';

/** What a scrape gets: the exposition text and its media type. */
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

/** Each sample wakes the process; at the usual 10 ms an idle worker would wake a hundred times a second. */
const EVENT_LOOP_SAMPLE_MS = 1_000;

let ofProcess: Registry | undefined;

/** Memory and event-loop delay among others. Made once per process, since its timers cannot be stopped. */
export function processMetrics(): Registry {
  if (ofProcess) return ofProcess;
  ofProcess = new Registry();
  collectDefaultMetrics({ register: ofProcess, eventLoopMonitoringPrecision: EVENT_LOOP_SAMPLE_MS });
  return ofProcess;
}

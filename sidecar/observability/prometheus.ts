/**
 * Shared by the metrics of worker and hub. Loads `prom-client`, so import it only where
 * metrics are served.
 */
import { Gauge, Registry, collectDefaultMetrics } from 'prom-client';
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

let ofProcess: Registry | undefined;

/** Memory and event-loop delay among others. Made once per process, since its timers cannot be stopped. */
export function processMetrics(): Registry {
  if (ofProcess) return ofProcess;
  ofProcess = new Registry();
  collectDefaultMetrics({ register: ofProcess, eventLoopMonitoringPrecision: NEVER_MS });
  addEventLoopDelay(ofProcess);
  return ofProcess;
}

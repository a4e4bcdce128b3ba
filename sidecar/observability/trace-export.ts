/**
 * Sends spans to an OpenTelemetry collector over OTLP/HTTP. It never disturbs tasks: the queue is bounded and drops what
 * exceeds it, and a delivery ends with its retries after 3 s. Loaded only where an endpoint is set.
 */
import { DiagLogLevel, diag, type Tracer } from '@opentelemetry/api';
import { parseKeyPairsIntoRecord } from '@opentelemetry/core';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import {
  defaultResource,
  detectResources,
  envDetector,
  resourceFromAttributes,
} from '@opentelemetry/resources';
import { BatchSpanProcessor, TracerProvider } from '@opentelemetry/sdk-trace';
import type { Clock, Logger } from '../ports.ts';
import { waitAtMost } from '../system/clock.ts';
import { VERSION } from '../system/version.ts';

/** A delivery with its retries. It keeps the process alive, so it also bounds the flush at the end. */
const EXPORT_TIMEOUT_MS = 3_000;
const FLUSH_MS = 4_000;
const BATCH_DELAY_MS = 2_000;
const LOG_EVERY_MS = 60_000;
const TRACES_PATH = '/v1/traces';

export interface TraceExport {
  tracer: Tracer;
  /** The values of the headers that are sent along: secrets, as a rule. */
  headerValues: string[];
  /** Sends what waits, within `FLUSH_MS`, and ends. Never rejects. */
  close(): Promise<void>;
}

/**
 * `endpoint`: the collector's base address, or the whole one of its traces. `instanceId`: the worker's name. Throws only for an
 * address or a variable of OpenTelemetry's that its library refuses.
 */
export function openTraceExport(
  { endpoint, instanceId }: { endpoint: string; instanceId: string | undefined },
  { clock, logger }: { clock: Clock; logger: Logger },
): TraceExport {
  const url = new URL(endpoint);
  const path = url.pathname.replace(/\/+$/u, '');
  url.pathname = path.endsWith(TRACES_PATH) ? path : path + TRACES_PATH;
  const exporter = new OTLPTraceExporter({ url: url.href, timeoutMillis: EXPORT_TIMEOUT_MS });
  const reportLoss = logLosses(url.host, clock, logger);
  const processor = new BatchSpanProcessor({
    exporter,
    scheduledDelayMillis: BATCH_DELAY_MS,
    exportTimeoutMillis: EXPORT_TIMEOUT_MS + 500,
  });
  const own = {
    'service.name': 'ollama-sidecar',
    'service.version': VERSION,
    'service.instance.id': instanceId,
  };
  // OTEL_SERVICE_NAME and OTEL_RESOURCE_ATTRIBUTES win.
  const resource = defaultResource()
    .merge(resourceFromAttributes(own))
    .merge(detectResources({ detectors: [envDetector] }));
  const provider = new TracerProvider({ resource, spanProcessors: [processor] });
  const { OTEL_EXPORTER_OTLP_HEADERS: forAll = '', OTEL_EXPORTER_OTLP_TRACES_HEADERS: forTraces = '' } =
    process.env;
  return {
    tracer: provider.getTracer('ollama-sidecar', VERSION),
    headerValues: [forAll, forTraces].flatMap((text) => Object.values(parseKeyPairsIntoRecord(text))),
    close: async () => {
      const over = provider.shutdown().catch(reportLoss);
      await waitAtMost(clock, over, FLUSH_MS);
      diag.disable();
    },
  };
}

/** A collector that takes no spans is logged at most once a minute, with nothing of what was sent or answered. */
function logLosses(collector: string, clock: Clock, logger: Logger): () => void {
  let loggedMs = -Infinity;
  const ignore = (): void => undefined;
  const error = (): void => {
    if (clock.monotonicMs() - loggedMs < LOG_EVERY_MS) return;
    loggedMs = clock.monotonicMs();
    logger.warn({ collector }, 'The collector did not take spans; they are lost');
  };
  const log = { error, warn: ignore, info: ignore, debug: ignore, verbose: ignore };
  diag.setLogger(log, { logLevel: DiagLogLevel.ERROR, suppressOverrideMessage: true });
  return error;
}

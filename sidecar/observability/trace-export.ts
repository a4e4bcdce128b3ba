/**
 * Sends spans to an OpenTelemetry collector over OTLP/HTTP. It never disturbs tasks:
 * the queue is bounded and drops what exceeds it, each delivery with its retries ends after `EXPORT_TIMEOUT_MS`, and a
 * collector that refuses spans is logged at most once a minute. Loaded only where an endpoint is set.
 */
import { Agent as HttpAgent } from 'node:http';
import type { Tracer } from '@opentelemetry/api';
import { ExportResultCode, parseKeyPairsIntoRecord, type ExportResult } from '@opentelemetry/core';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import {
  defaultResource,
  detectResources,
  envDetector,
  resourceFromAttributes,
} from '@opentelemetry/resources';
import {
  BatchSpanProcessor,
  TracerProvider,
  type ReadableSpan,
  type SpanExporter,
} from '@opentelemetry/sdk-trace';
import { waitAtMost } from '../system/clock.ts';
import type { Clock, Logger } from '../ports.ts';
import { VERSION } from '../system/version.ts';

export interface TraceExportOptions {
  /** Base address of the collector, or the whole one of its traces. */
  endpoint: string;
  /** Name of this worker. */
  instanceId: string | undefined;
  /** Spans are larger where they hold what was said. */
  withContent: boolean;
  clock: Clock;
  logger: Logger;
}

export interface TraceExport {
  tracer: Tracer;
  /** Sends what waits, within `FLUSH_MS`, and ends. Never rejects. */
  close(): Promise<void>;
}

/** A delivery with its retries. It keeps the process alive, so it also bounds the flush at the end. */
const EXPORT_TIMEOUT_MS = 3_000;
const FLUSH_MS = 4_000;
const BATCH_DELAY_MS = 2_000;
const LOG_EVERY_MS = 60_000;
/** Spans that wait: about 2 MB, or up to 20 MB with content. */
const QUEUE = { maxQueueSize: 2_048, maxExportBatchSize: 512 };
const CONTENT_QUEUE = { maxQueueSize: 256, maxExportBatchSize: 32 };
const TRACES_PATH = '/v1/traces';

/** Throws only for an address or a variable of OpenTelemetry's that its library refuses. */
export function openTraceExport(options: TraceExportOptions): TraceExport {
  const { clock, logger, withContent } = options;
  const url = tracesUrl(options.endpoint);
  let agent: HttpAgent | undefined;
  const exporter = new OTLPTraceExporter({
    url: url.href,
    timeoutMillis: EXPORT_TIMEOUT_MS,
    httpAgentOptions: async (protocol) => (agent = await openAgent(protocol)),
  });
  const losses = new LossLog(url.host, clock, logger);
  const processor = new BatchSpanProcessor({
    exporter: counted(exporter, losses),
    scheduledDelayMillis: BATCH_DELAY_MS,
    exportTimeoutMillis: EXPORT_TIMEOUT_MS + 500,
    ...(withContent ? CONTENT_QUEUE : QUEUE),
  });
  const provider = new TracerProvider({ resource: resourceOf(options), spanProcessors: [processor] });
  return {
    tracer: provider.getTracer('ollama-sidecar', VERSION),
    async close() {
      // Failed deliveries were counted where they failed.
      await waitAtMost(
        clock,
        provider.shutdown().catch(() => undefined),
        FLUSH_MS,
      );
      losses.tell();
      agent?.destroy();
    },
  };
}

/** The values of the headers that are sent along: secrets, as a rule. */
export function traceHeaderValues(env: NodeJS.ProcessEnv = process.env): string[] {
  const variables = [env.OTEL_EXPORTER_OTLP_HEADERS, env.OTEL_EXPORTER_OTLP_TRACES_HEADERS];
  return variables.flatMap((text) => Object.values(parseKeyPairsIntoRecord(text ?? '')));
}

/** Loads TLS only for an https address. */
async function openAgent(protocol: string): Promise<HttpAgent> {
  const Agent = protocol === 'https:' ? (await import('node:https')).Agent : HttpAgent;
  return new Agent({ keepAlive: true });
}

function tracesUrl(endpoint: string): URL {
  const url = new URL(endpoint);
  const path = url.pathname.replace(/\/+$/u, '');
  url.pathname = path.endsWith(TRACES_PATH) ? path : path + TRACES_PATH;
  return url;
}

/** `OTEL_SERVICE_NAME` and `OTEL_RESOURCE_ATTRIBUTES` win. */
function resourceOf({ instanceId }: TraceExportOptions) {
  const own = resourceFromAttributes({
    'service.name': 'ollama-sidecar',
    'service.version': VERSION,
    ...(instanceId !== undefined && { 'service.instance.id': instanceId }),
  });
  return defaultResource()
    .merge(own)
    .merge(detectResources({ detectors: [envDetector] }));
}

function counted(exporter: SpanExporter, losses: LossLog): SpanExporter {
  return {
    export(spans: ReadableSpan[], done: (result: ExportResult) => void) {
      exporter.export(spans, (result) => {
        if (result.code === ExportResultCode.FAILED) losses.count(spans.length, result.error);
        done(result);
      });
    },
    shutdown: () => exporter.shutdown(),
  };
}

/** Logs undelivered spans with their number: the first time at once, then at most once a minute. */
class LossLog {
  readonly #host: string;
  readonly #clock: Clock;
  readonly #logger: Logger;
  #toldMs = -Infinity;
  #spans = 0;
  #reason = '';

  constructor(host: string, clock: Clock, logger: Logger) {
    this.#host = host;
    this.#clock = clock;
    this.#logger = logger;
  }

  count(spans: number, error: Error | undefined): void {
    this.#spans += spans;
    this.#reason = reasonOf(error);
    if (this.#clock.monotonicMs() - this.#toldMs >= LOG_EVERY_MS) this.tell();
  }

  tell(): void {
    if (this.#spans === 0) return;
    const fields = { collector: this.#host, spans: this.#spans, reason: this.#reason };
    this.#logger.warn(fields, 'The collector did not take spans; they are lost');
    this.#toldMs = this.#clock.monotonicMs();
    this.#spans = 0;
  }
}

/** The status or the code of the connection; never what was sent or answered. */
function reasonOf(error: Error | undefined): string {
  if (!error) return 'unknown';
  const code = 'code' in error ? error.code : undefined;
  if (typeof code === 'number') return `HTTP ${code}`;
  return typeof code === 'string' ? code : error.message.slice(0, 200);
}

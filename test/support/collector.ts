/** An OpenTelemetry collector as traces see one: a real HTTP server that reads OTLP JSON and keeps the spans. */
import { createServer, type IncomingHttpHeaders, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface CollectedSpan {
  traceId: string;
  spanId: string;
  parentSpanId?: string;
  name: string;
  /** By OTLP: 1 internal, 3 client. */
  kind: number;
  startNs: bigint;
  endNs: bigint;
  attributes: Record<string, unknown>;
  events: { name: string; attributes: Record<string, unknown> }[];
  /** By OTLP: 0 unset, 2 error. */
  status: { code: number; message?: string };
  resource: Record<string, unknown>;
}

export interface Collector {
  url: string;
  spans: CollectedSpan[];
  requests: { path: string; headers: IncomingHttpHeaders; body: string }[];
  close(): Promise<void>;
}

/** `answer` says what the collector does with a delivery; default: takes it. */
export async function startCollector(
  answer: (response: ServerResponse) => void = (response) => void response.end('{}'),
): Promise<Collector> {
  const spans: CollectedSpan[] = [];
  const requests: Collector['requests'] = [];
  const server = createServer((request, response) => {
    let body = '';
    request.setEncoding('utf8').on('data', (text: string) => (body += text));
    request.on('end', () => {
      requests.push({ path: request.url ?? '', headers: request.headers, body });
      spans.push(...readSpans(body));
      answer(response);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}`, spans, requests, close: () => closeServer(server) };
}

function closeServer(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });
}

interface Value {
  stringValue?: string;
  boolValue?: boolean;
  intValue?: number | string;
  doubleValue?: number;
  arrayValue?: { values: Value[] };
}
type Pairs = { key: string; value: Value }[];
interface Payload {
  resourceSpans: {
    resource: { attributes: Pairs };
    scopeSpans: { spans: WireSpan[] }[];
  }[];
}
interface WireSpan extends Pick<CollectedSpan, 'traceId' | 'spanId' | 'parentSpanId' | 'name' | 'kind'> {
  startTimeUnixNano: string;
  endTimeUnixNano: string;
  attributes: Pairs;
  events?: { name: string; attributes: Pairs }[];
  status: { code?: number; message?: string };
}

function readSpans(body: string): CollectedSpan[] {
  const { resourceSpans } = JSON.parse(body) as Payload;
  return resourceSpans.flatMap(({ resource, scopeSpans }) =>
    scopeSpans.flatMap(({ spans }) => spans.map((span) => spanOf(span, recordOf(resource.attributes)))),
  );
}

function spanOf(span: WireSpan, resource: Record<string, unknown>): CollectedSpan {
  const { traceId, spanId, parentSpanId, name, kind, events = [], status } = span;
  return {
    traceId,
    spanId,
    ...(parentSpanId && { parentSpanId }),
    name,
    kind,
    startNs: BigInt(span.startTimeUnixNano),
    endNs: BigInt(span.endTimeUnixNano),
    attributes: recordOf(span.attributes),
    events: events.map((event) => ({ name: event.name, attributes: recordOf(event.attributes) })),
    status: { ...status, code: status.code ?? 0 },
    resource,
  };
}

const recordOf = (pairs: Pairs): Record<string, unknown> =>
  Object.fromEntries(pairs.map(({ key, value }) => [key, valueOf(value)]));

function valueOf({ stringValue, boolValue, intValue, doubleValue, arrayValue }: Value): unknown {
  if (arrayValue) return arrayValue.values.map(valueOf);
  return stringValue ?? boolValue ?? doubleValue ?? Number(intValue);
}

/** The worker's traces, sent where `observability.otlpEndpoint` is set; nothing of it is loaded otherwise. */
import type { CleanupStack } from '../system/cleanup-stack.ts';
import type { Config } from '../config/schema.ts';
import type { SecretMasker } from '../observability/secrets.ts';
import type { Clock, Logger, TaskTracer } from '../ports.ts';

export interface Traced {
  config: Config;
  masker: SecretMasker;
  clock: Clock;
  logger: Logger;
}

/** Undefined where no endpoint is set, or where traces cannot be sent: that keeps no worker from its tasks. */
export async function openTracing(
  { config, masker, clock, logger }: Traced,
  opened: CleanupStack,
): Promise<TaskTracer | undefined> {
  const { otlpEndpoint: endpoint } = config.observability;
  if (endpoint === undefined) return undefined;
  const { agentId } = config.hub;
  try {
    const [{ openTraceExport }, { createTaskTracer }] = await Promise.all([
      import('../observability/trace-export.ts'),
      import('../observability/traces.ts'),
    ]);
    const traces = openTraceExport({ endpoint, instanceId: agentId }, { clock, logger });
    for (const value of traces.headerValues) masker.add(value);
    opened.add(() => traces.close());
    logger.info({ collector: new URL(endpoint).host }, 'Sending traces');
    return createTaskTracer(traces.tracer, agentId);
  } catch (error) {
    logger.warn({ err: error }, 'Traces cannot be sent');
    return undefined;
  }
}

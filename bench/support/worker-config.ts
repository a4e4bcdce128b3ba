/** The configuration that all workers of the loop's benchmarks have. */
import { join } from 'node:path';
import type { ConfigInput } from '../../sidecar/base/config/schema.ts';

export interface WorkerOptions {
  dir: string;
  modelUrl: string;
  model: string;
  sandbox: 'off' | 'required';
  concurrency?: number;
  maxContextTokens?: number;
}

/** `name` tells its folders from those of the others in `dir`. */
export function workerConfig(options: WorkerOptions, name: string): ConfigInput {
  const { dir, modelUrl, model, sandbox, concurrency = 1, maxContextTokens = 131_072 } = options;
  return {
    ollama: { url: modelUrl, maxContextTokens },
    model: { default: model },
    worker: {
      stateDir: join(dir, `state-${name}`),
      dataDir: join(dir, `data-${name}`),
      concurrency,
      queueSize: 16,
    },
    sandbox: { mode: sandbox },
    prompt: { userGuidanceFile: '' },
    limits: { maxIterations: 1000 },
    observability: { logLevel: 'error' },
  };
}

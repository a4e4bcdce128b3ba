/** The worker as it is shipped: `start` of the built command line, in a process of its own. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ConfigInput } from '../../sidecar/base/config/schema.ts';

export interface CliWorker {
  /** `VmRSS`: resident now; `VmHWM`: the most that ever was. */
  memoryBytes(which: 'VmRSS' | 'VmHWM'): number;
  /** Tells it to end, and waits until it has. */
  end(): Promise<void>;
}

/** `dir`: where its configuration is written. The token goes by the environment, as it should. */
export function startCliWorker(dir: string, config: ConfigInput, token: string): CliWorker {
  const file = join(dir, 'worker.json');
  writeFileSync(file, JSON.stringify(config));
  const cli = process.env.BENCH_CLI ?? 'dist/cli.js';
  const child = spawn(process.execPath, [cli, 'start', '--config', file], {
    stdio: 'ignore',
    env: { ...process.env, SIDECAR_TOKEN: token },
  });
  const ended = once(child, 'exit');
  return {
    memoryBytes: (which) => {
      const status = readFileSync(`/proc/${child.pid}/status`, 'utf8');
      return Number(new RegExp(`${which}:\\s+(\\d+) kB`, 'u').exec(status)?.[1] ?? Number.NaN) * 1024;
    },
    end: async () => {
      child.kill('SIGTERM');
      await ended;
    },
  };
}

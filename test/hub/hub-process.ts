/** A hub of the built library in a process of its own, to be killed; none outlives its test. */
import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { afterEach } from '@jest/globals';
import { killed } from '../support/worker-process.ts';

const script = fileURLToPath(new URL('./fixtures/hub-process.mjs', import.meta.url));
const running: ChildProcess[] = [];
afterEach(async () => {
  await Promise.all(running.splice(0).map(killed));
});

export interface HubProcess {
  url: string;
  wsUrl: string;
  port: number;
  /** Without warning; resolves when it is gone. */
  kill(): Promise<void>;
}

/** Its operator has the token `admin-token`, its worker `worker-1` the token `worker-token`. Port 0 is any free one. */
export async function startHubProcess(database: string, port = 0): Promise<HubProcess> {
  const child = spawn(process.execPath, [script, database, String(port), 'worker-token'], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  running.push(child);
  const line = await new Promise<string>((resolve) => {
    child.stdout.once('data', (chunk: Buffer) => resolve(chunk.toString()));
  });
  const address = JSON.parse(line) as Omit<HubProcess, 'kill'>;
  return { ...address, kill: () => killed(child) };
}

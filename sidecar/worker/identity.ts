/** Describes a worker to its hub: its identity, and at intervals the resources of its machine. */
import os from 'node:os';
import type { Config } from '../base/config/schema.ts';
import { detectSandbox } from '../workspace/commands/sandbox-detect.ts';
import { isLoopback } from '../base/addresses/hub-url.ts';
import type { HubLink } from './hub-link/hub-link.ts';
import type { WorkerIdentity } from './hub-link/types.ts';
import type { ModelServers } from '../model/servers/model-servers.ts';
import type { Clock } from '../base/ports.ts';
import { measureNvidiaMemory } from '../base/system/machine-memory.ts';
import { VERSION } from '../base/system/version.ts';
import { createCodedError } from '../base/values/errors.ts';
import { computeMaxTasks } from './task-order.ts';

/** Delay of the first report, so that it does not slow down the start. */
const FIRST_REPORT_MS = 1_000;

/** Returns the worker's identity after its model servers were checked. Rejects with the code `sandbox_unavailable`. */
export async function describeWorker(
  config: Config,
  url: string | undefined,
  servers: Pick<ModelServers, 'checkAll' | 'models'>,
): Promise<WorkerIdentity> {
  const { hub } = config;
  const [sandbox] = await Promise.all([detectSandboxLabel(config), servers.checkAll()]);
  return {
    workerId: hub.agentId ?? '',
    token: hub.token ?? '',
    name: hub.name,
    capabilities: hub.labels,
    capacity: computeMaxTasks(config),
    get models() {
      return servers.models ?? [];
    },
    version: VERSION,
    sandbox,
    ollamaUrl: url,
  };
}

/** The sandbox label of a worker whose commands are confined. */
export const SANDBOXED_LABEL = 'bubblewrap';

/** Returns `bubblewrap`, or why commands run without a sandbox. Throws if a required sandbox does not work. */
export async function detectSandboxLabel({
  sandbox: { mode, unconfined },
  hub,
}: Pick<Config, 'sandbox' | 'hub'>): Promise<string> {
  if (mode === 'off') return 'off';
  const detection = await detectSandbox();
  if (detection.available) return SANDBOXED_LABEL;
  if (mode === 'required') {
    throw createSandboxError(`sandbox.mode is "required" and bubblewrap does not work: ${detection.reason}`);
  }
  if (unconfined === 'refuse' && !isOnThisMachine(hub.url)) {
    throw createSandboxError(
      `the hub is on another machine and commands would not be confined: ${detection.reason}. Install bubblewrap, or set sandbox.unconfined to "allow"`,
    );
  }
  return `none: ${detection.reason}`;
}

const createSandboxError = (message: string): Error => createCodedError('sandbox_unavailable', message);

/** Returns whether the address is on this machine; also true for a missing or invalid address, which is refused elsewhere. */
const isOnThisMachine = (url: string | undefined): boolean =>
  url === undefined || !URL.canParse(url) || isLoopback(new URL(url).hostname);

/**
 * Reports resources soon and then every `intervalMs`; the returned function stops the reports. Graphics memory is
 * reported for NVIDIA cards only; unknown values are null.
 */
export function reportResources(
  link: Pick<HubLink, 'reportResources'>,
  clock: Clock,
  intervalMs: number,
): () => void {
  let isStopped = false;
  let lastTimes: CpuTimes | undefined;
  let hasNvidiaGpu = true;
  const report = async () => {
    const gpuMemory = hasNvidiaGpu ? await measureNvidiaMemory() : undefined;
    // Without an NVIDIA GPU, further queries would only start processes.
    hasNvidiaGpu = gpuMemory !== undefined;
    if (isStopped) return;
    const currentTimes = readCpuTimes();
    link.reportResources({
      cpu_percent: lastTimes ? computeBusyPercent(lastTimes, currentTimes) : null,
      ram_used_bytes: os.totalmem() - os.freemem(),
      ram_total_bytes: os.totalmem(),
      vram_used_bytes: gpuMemory?.usedBytes ?? null,
      vram_total_bytes: gpuMemory?.totalBytes ?? null,
    });
    lastTimes = currentTimes;
    cancel = clock.schedule(intervalMs, () => void report());
  };
  let cancel = clock.schedule(FIRST_REPORT_MS, () => void report());
  return () => {
    isStopped = true;
    cancel();
  };
}

type CpuTimes = ReturnType<typeof readCpuTimes>;

/** Returns the CPU times of all cores together. */
function readCpuTimes() {
  const coreTimes = os.cpus().map(({ times }) => times);
  const idleMs = coreTimes.reduce((sum, { idle }) => sum + idle, 0);
  const totalMs = coreTimes.reduce((sum, { user, sys, nice, irq }) => sum + user + sys + nice + irq, idleMs);
  return { idleMs, totalMs };
}

/** Returns the CPU usage between two readings; null if no time has passed. */
function computeBusyPercent(earlier: CpuTimes, currentTimes: CpuTimes): number | null {
  if (currentTimes.totalMs <= earlier.totalMs) return null;
  const busy = 1 - (currentTimes.idleMs - earlier.idleMs) / (currentTimes.totalMs - earlier.totalMs);
  return Math.round(Math.min(Math.max(busy, 0), 1) * 1000) / 10;
}

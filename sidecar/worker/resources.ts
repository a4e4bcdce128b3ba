/**
 * What the machine has and uses, for `resource_report`. Graphics memory is known of NVIDIA's cards; whatever cannot be
 * known is null.
 */
import os from 'node:os';
import type { ResourceReport } from '../hub-link/types.ts';
import type { Clock } from '../ports.ts';
import { nvidiaMemory } from '../system/machine-memory.ts';

/** The first report waits until the start is over. */
const FIRST_REPORT_MS = 1_000;

/** Reports soon and then every `intervalMs`; the returned function ends that. */
export function reportResources(
  link: { resourceReport(report: ResourceReport): void },
  clock: Clock,
  intervalMs: number,
): () => void {
  let isStopped = false;
  let cancel: () => void = () => undefined;
  let last: CpuTimes | undefined;
  let hasCards = true;
  const report = async () => {
    const cards = hasCards ? await nvidiaMemory() : undefined;
    // Asking again each minute would only cost processes.
    hasCards = cards !== undefined;
    if (isStopped) return;
    const now = cpuTimes();
    link.resourceReport({
      cpu_percent: last ? busyPercent(last, now) : null,
      ram_used_bytes: os.totalmem() - os.freemem(),
      ram_total_bytes: os.totalmem(),
      vram_used_bytes: cards?.usedBytes ?? null,
      vram_total_bytes: cards?.totalBytes ?? null,
    });
    last = now;
    cancel = clock.schedule(intervalMs, () => void report());
  };
  cancel = clock.schedule(FIRST_REPORT_MS, () => void report());
  return () => {
    isStopped = true;
    cancel();
  };
}

/** Times of all cores together. */
interface CpuTimes {
  idleMs: number;
  totalMs: number;
}

function cpuTimes(): CpuTimes {
  let idleMs = 0;
  let totalMs = 0;
  for (const { times } of os.cpus()) {
    idleMs += times.idle;
    totalMs += times.idle + times.user + times.sys + times.nice + times.irq;
  }
  return { idleMs, totalMs };
}

/** Between two readings; null where no time has gone by. */
function busyPercent(before: CpuTimes, now: CpuTimes): number | null {
  if (now.totalMs <= before.totalMs) return null;
  const busy = 1 - (now.idleMs - before.idleMs) / (now.totalMs - before.totalMs);
  return Math.round(Math.min(Math.max(busy, 0), 1) * 1000) / 10;
}

/**
 * What the machine has and uses, for `resource_report`. Graphics memory is asked of
 * `nvidia-smi` where there is one; whatever cannot be known is null.
 */
import os from 'node:os';
import { execa } from 'execa';
import type { Clock } from '../ports.ts';

export interface ResourceReport {
  /** 0 to 100 over all cores since the last report; null for the first. */
  cpu_percent: number | null;
  ram_used_bytes: number;
  ram_total_bytes: number;
  vram_used_bytes: number | null;
  vram_total_bytes: number | null;
}

const NVIDIA_SMI_TIMEOUT_MS = 5_000;
const MIB = 1024 * 1024;

interface CpuTimes {
  idleMs: number;
  totalMs: number;
}

/** Reads the machine's load; each reading is relative to the one before. */
export class ResourceMonitor {
  #last: CpuTimes | undefined;
  #hasNvidiaSmi = true;

  async read(): Promise<ResourceReport> {
    const vram = await this.#vram();
    return {
      cpu_percent: this.#cpuPercent(),
      ram_used_bytes: os.totalmem() - os.freemem(),
      ram_total_bytes: os.totalmem(),
      vram_used_bytes: vram?.usedBytes ?? null,
      vram_total_bytes: vram?.totalBytes ?? null,
    };
  }

  #cpuPercent(): number | null {
    const now = cpuTimes();
    const last = this.#last;
    this.#last = now;
    if (!last || now.totalMs <= last.totalMs) return null;
    const busy = 1 - (now.idleMs - last.idleMs) / (now.totalMs - last.totalMs);
    return Math.round(Math.min(Math.max(busy, 0), 1) * 1000) / 10;
  }

  async #vram(): Promise<{ usedBytes: number; totalBytes: number } | undefined> {
    if (!this.#hasNvidiaSmi) return undefined;
    const text = await nvidiaSmi();
    if (text === undefined) {
      // Not there, or broken: asking again each minute would only cost processes.
      this.#hasNvidiaSmi = false;
      return undefined;
    }
    return parseNvidiaSmi(text);
  }
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

async function nvidiaSmi(): Promise<string | undefined> {
  const args = ['--query-gpu=memory.used,memory.total', '--format=csv,noheader,nounits'];
  const ended = await execa('nvidia-smi', args, {
    timeout: NVIDIA_SMI_TIMEOUT_MS,
    stdin: 'ignore',
    reject: false,
  });
  return ended.failed ? undefined : ended.stdout;
}

/** Sums the lines `used, total` (MiB), one a card. */
export function parseNvidiaSmi(text: string): { usedBytes: number; totalBytes: number } | undefined {
  const rows = text
    .trim()
    .split('\n')
    .map((line) => line.split(',').map(Number));
  const valid = rows.filter(([used, total]) => Number.isFinite(used) && Number.isFinite(total));
  if (valid.length === 0) return undefined;
  const sum = (column: 0 | 1) => valid.reduce((bytes, row) => bytes + (row[column] ?? 0) * MIB, 0);
  return { usedBytes: sum(0), totalBytes: sum(1) };
}

/** The first report waits until the start is over. */
const FIRST_REPORT_MS = 1_000;

/** Reports soon and then every `intervalMs`; the returned function ends that. */
export function reportResources(
  link: { resourceReport(report: ResourceReport): void },
  clock: Clock,
  intervalMs: number,
): () => void {
  const monitor = new ResourceMonitor();
  let cancel: () => void = () => undefined;
  let stopped = false;
  const report = async () => {
    const reading = await monitor.read();
    if (stopped) return;
    link.resourceReport(reading);
    cancel = clock.schedule(intervalMs, () => void report());
  };
  cancel = clock.schedule(FIRST_REPORT_MS, () => void report());
  return () => {
    stopped = true;
    cancel();
  };
}

/**
 * Measures the memory for models on this machine: that of the graphics cards, and the main memory. Never rejects; unknown values are
 * undefined.
 */
import { readdir, readFile } from 'node:fs/promises';
import { arch, availableParallelism, platform, totalmem } from 'node:os';
import { join } from 'node:path';
import { runProgram } from './run-program.ts';

const TIMEOUT_MS = 5_000;
const MAX_OUTPUT_BYTES = 64 * 1024;
const MIB = 1024 ** 2;
/** Default share of the shared memory that macOS allows the GPU of an Apple chip to use. */
const APPLE_GPU_SHARE = 0.67;

export interface MachineMemory {
  /** Memory of all graphics cards together, in bytes; undefined if there are none. */
  cardBytes?: number;
  memoryBytes: number;
  /** Number of processor cores that this program may use. */
  cores: number;
}

/** Returns the main memory of the machine in bytes, or the container's limit if that is lower. */
export const measureUsableMemory = (): number =>
  Math.min(totalmem(), process.constrainedMemory() || Infinity);

/** Measures the memory for models: that of the graphics cards, and the main memory. */
export async function measureMachineMemory(): Promise<MachineMemory> {
  const memoryBytes = measureUsableMemory();
  const cardBytes =
    (await measureNvidiaMemory())?.totalBytes ?? (await measureAmdBytes()) ?? estimateAppleBytes(memoryBytes);
  return { memoryBytes, cores: availableParallelism(), ...(cardBytes !== undefined && { cardBytes }) };
}

/** Returns the memory of all NVIDIA cards together, or undefined if there are none. */
export async function measureNvidiaMemory(): Promise<{ usedBytes: number; totalBytes: number } | undefined> {
  const args = ['--query-gpu=memory.used,memory.total', '--format=csv,noheader,nounits'];
  const { exitCode, stdout } = await runProgram({
    file: 'nvidia-smi',
    args,
    cwd: '/',
    env: process.env,
    timeoutMs: TIMEOUT_MS,
    maxOutputBytes: MAX_OUTPUT_BYTES,
  });
  if (exitCode !== 0) return undefined;
  const cards = String(stdout)
    .trim()
    .split('\n')
    .map((line) => line.split(',').map(Number));
  const sum = (column: 0 | 1) => cards.reduce((total, card) => total + (card[column] || 0), 0) * MIB;
  return sum(1) > 0 ? { usedBytes: sum(0), totalBytes: sum(1) } : undefined;
}

/**
 * Returns the memory of all AMD cards together, read from the files of the kernel's driver, or undefined if
 * there are none.
 */
async function measureAmdBytes(): Promise<number | undefined> {
  const root = '/sys/class/drm';
  const names = (await readdir(root).catch(() => [])).filter((name) => /^card\d+$/u.test(name));
  const sizes = await Promise.all(
    names.map((name) => readFile(join(root, name, 'device/mem_info_vram_total'), 'utf8').catch(() => '')),
  );
  const sum = sizes.reduce((total, text) => total + (Number(text) || 0), 0);
  return sum > 0 ? sum : undefined;
}

const estimateAppleBytes = (memoryBytes: number): number | undefined =>
  platform() === 'darwin' && arch() === 'arm64' ? memoryBytes * APPLE_GPU_SHARE : undefined;

/**
 * How much memory models have on this machine: that of the graphics cards, and the machine's own. Nothing here rejects:
 * what cannot be found out is left out.
 */
import { readdir, readFile } from 'node:fs/promises';
import { arch, availableParallelism, platform, totalmem } from 'node:os';
import { join } from 'node:path';
import { execa } from 'execa';

const TIMEOUT_MS = 5_000;
const MIB = 1024 ** 2;
/** What macOS lets the graphics part of an Apple chip use of the memory that both share, by default. */
const APPLE_CARD_SHARE = 0.67;

export interface MachineMemory {
  /** Of all cards together, in bytes; missing where none is seen. */
  cardBytes?: number;
  /** Of the machine, or what a container may use of it. */
  memoryBytes: number;
  /** Of the processor, as far as this program may use them. */
  cores: number;
}

export async function machineMemory(): Promise<MachineMemory> {
  const memoryBytes = Math.min(totalmem(), process.constrainedMemory() || Infinity);
  const cardBytes = (await nvidiaBytes()) ?? (await amdBytes()) ?? appleBytes(memoryBytes);
  return { memoryBytes, cores: availableParallelism(), ...(cardBytes !== undefined && { cardBytes }) };
}

async function nvidiaBytes(): Promise<number | undefined> {
  const args = ['--query-gpu=memory.total', '--format=csv,noheader,nounits'];
  const asked = await execa('nvidia-smi', args, { timeout: TIMEOUT_MS, stdin: 'ignore', reject: false });
  if (asked.failed) return undefined;
  const cards = asked.stdout.split('\n').map(Number);
  const sum = cards.reduce((all, mebibytes) => all + (mebibytes > 0 ? mebibytes : 0), 0);
  return sum > 0 ? sum * MIB : undefined;
}

/** The kernel's driver tells it in a file for each card. */
async function amdBytes(): Promise<number | undefined> {
  const root = '/sys/class/drm';
  const names = (await readdir(root).catch(() => [])).filter((name) => /^card\d+$/u.test(name));
  const sizes = await Promise.all(
    names.map((name) => readFile(join(root, name, 'device/mem_info_vram_total'), 'utf8').catch(() => '')),
  );
  const sum = sizes.reduce((all, text) => all + (Number(text) || 0), 0);
  return sum > 0 ? sum : undefined;
}

const appleBytes = (memoryBytes: number): number | undefined =>
  platform() === 'darwin' && arch() === 'arm64' ? memoryBytes * APPLE_CARD_SHARE : undefined;

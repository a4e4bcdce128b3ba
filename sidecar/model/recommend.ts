/** Rates which models fit a machine, and recommends some. Pure. */
import type { MachineMemory } from '../base/system/machine-memory.ts';

/** Place of a loaded model. `card`: whole on the GPU. `split`: partly in memory, slower. `memory`: without a GPU, on the processor. */
export type Fit = 'card' | 'split' | 'memory' | 'too large';

const GIB = 1024 ** 3;
/** Memory for the cache of the window, as a share of the weights. */
const CACHE_SHARE = 0.25;
/** Memory for the buffers of the server. */
const BUFFER_BYTES = 0.75 * GIB;
/** The share of the machine's memory that other programs leave. */
const USABLE_MEMORY_SHARE = 0.7;
/** Bytes per parameter of the library's default four-bit files. */
const BYTES_PER_PARAMETER = 0.62;
/**
 * Billions of active parameters per core at a usable speed: two cores with 1.5 billion solved tasks of a few files in
 * 25 to 175 seconds.
 */
const BILLIONS_PER_CORE = 0.75;
const MAX_CPU_BILLIONS = 4;
const MAX_RECOMMENDED = 3;

/** Estimates the memory of a loaded model, in bytes. */
export const estimateMemoryBytes = (sizeBytes: number): number =>
  sizeBytes * (1 + CACHE_SHARE) + BUFFER_BYTES;

/** Estimates the size of a model's file from its number of parameters. */
export const estimateFileBytes = (billions: number): number => billions * 1e9 * BYTES_PER_PARAMETER;

/** Returns whether a model of this size fits on the GPU, in memory, or not at all. */
export function fitOf(sizeBytes: number, { cardBytes = 0, memoryBytes }: Omit<MachineMemory, 'cores'>): Fit {
  const neededMemory = estimateMemoryBytes(sizeBytes);
  if (neededMemory <= cardBytes) return 'card';
  const usableMemory = memoryBytes * USABLE_MEMORY_SHARE;
  if (neededMemory > cardBytes + usableMemory) return 'too large';
  return cardBytes > 0 ? 'split' : 'memory';
}

interface CatalogModel {
  name: string;
  billions: number;
  /** Billions of parameters that are active for each token, if not all. */
  activeBillions?: number;
  about: string;
}

/** Models for code, the most capable first. */
export const RECOMMENDABLE_MODELS: readonly CatalogModel[] = [
  { name: 'qwen3-coder:30b', billions: 30.5, activeBillions: 3.3, about: 'code; fast for its size' },
  { name: 'devstral:24b', billions: 23.6, about: 'trained for agents that edit code' },
  {
    name: 'gpt-oss:20b',
    billions: 20.9,
    activeBillions: 3.6,
    about: 'reasoning and code; fast for its size',
  },
  { name: 'qwen2.5-coder:14b', billions: 14.8, about: 'code' },
  { name: 'qwen2.5-coder:7b', billions: 7.6, about: 'code; the default' },
  { name: 'qwen2.5-coder:3b', billions: 3.1, about: 'code; small changes' },
  { name: 'qwen2.5-coder:1.5b', billions: 1.5, about: 'code; small changes, fast on a CPU' },
  { name: 'qwen2.5-coder:0.5b', billions: 0.5, about: 'code; the smallest usable model' },
];

export interface Recommendation {
  name: string;
  /** Estimated size of the model's file. */
  sizeBytes: number;
  fit: Fit;
  about: string;
}

/**
 * Recommends up to three models, the most capable first: those that fit on the GPU; without a GPU, or if none fits,
 * those that the processor runs at a usable speed.
 */
export function recommendModels(machine: MachineMemory): Recommendation[] {
  const maxBillions = Math.min(MAX_CPU_BILLIONS, machine.cores * BILLIONS_PER_CORE);
  const rated = RECOMMENDABLE_MODELS.map(({ billions, activeBillions = billions, ...rest }) => {
    const sizeBytes = estimateFileBytes(billions);
    return { ...rest, sizeBytes, fit: fitOf(sizeBytes, machine), activeBillions };
  });
  const gpuModels = rated.filter(({ fit }) => fit === 'card');
  const cpuModels = rated.filter(
    ({ fit, activeBillions }) => fit !== 'too large' && activeBillions <= maxBillions,
  );
  return (gpuModels.length > 0 ? gpuModels : cpuModels)
    .slice(0, MAX_RECOMMENDED)
    .map(({ activeBillions: _active, ...recommendation }) => recommendation);
}

/** Which models fit a machine, and which of those people are advised to take. Pure. */
import type { MachineMemory } from '../system/machine-memory.ts';

/** `card`: whole on the card. `split`: the rest in memory, slower. `memory`: there is no card, the processor does it. */
export type Fit = 'card' | 'split' | 'memory' | 'too large';

const GIB = 1024 ** 3;
/** Beside the weights: the window's cache, which grows with the model, and the server's own buffers. */
const CACHE_SHARE = 0.25;
const BUFFER_BYTES = 0.75 * GIB;
/** The share of the machine's memory that other programs leave. */
const USABLE_MEMORY_SHARE = 0.7;
/** Bytes for each parameter in the four-bit files that the library gives where a name says nothing else. */
const BYTES_PER_PARAMETER = 0.62;
/**
 * A processor answers at a usable speed up to about so many billions of parameters at work: two cores with 1.5 billion
 * solved tasks of a few files in 25 to 175 seconds.
 */
const BILLIONS_PER_CORE = 0.75;
const MAX_PROCESSOR_BILLIONS = 4;
const MAX_RECOMMENDED = 3;

/** The memory of a loaded model, in bytes; an estimate. */
export const neededBytes = (sizeBytes: number): number => sizeBytes * (1 + CACHE_SHARE) + BUFFER_BYTES;

/** The size of a model's file, from its number of parameters; an estimate. */
export const fileBytes = (billions: number): number => billions * 1e9 * BYTES_PER_PARAMETER;

export function fitOf(sizeBytes: number, { cardBytes = 0, memoryBytes }: Omit<MachineMemory, 'cores'>): Fit {
  const needed = neededBytes(sizeBytes);
  if (needed <= cardBytes) return 'card';
  const usable = memoryBytes * USABLE_MEMORY_SHARE;
  if (needed > cardBytes + usable) return 'too large';
  return cardBytes > 0 ? 'split' : 'memory';
}

interface Candidate {
  name: string;
  billions: number;
  /** Parameters that work on each token, where not all do. */
  activeBillions?: number;
  about: string;
}

/** Models for code, the most capable first. */
export const CANDIDATES: readonly Candidate[] = [
  { name: 'qwen3-coder:30b', billions: 30.5, activeBillions: 3.3, about: 'code; quick for its size' },
  { name: 'devstral:24b', billions: 23.6, about: 'made for agents that edit code' },
  {
    name: 'gpt-oss:20b',
    billions: 20.9,
    activeBillions: 3.6,
    about: 'reasoning and code; quick for its size',
  },
  { name: 'qwen2.5-coder:14b', billions: 14.8, about: 'code' },
  { name: 'qwen2.5-coder:7b', billions: 7.6, about: 'code; the default' },
  { name: 'qwen2.5-coder:3b', billions: 3.1, about: 'code; small changes' },
  { name: 'qwen2.5-coder:1.5b', billions: 1.5, about: 'code; small changes, quick on a processor' },
  { name: 'qwen2.5-coder:0.5b', billions: 0.5, about: 'code; the smallest that is of use' },
];

export interface Recommendation {
  name: string;
  /** Size of its file; an estimate. */
  sizeBytes: number;
  fit: Fit;
  about: string;
}

/**
 * Up to three models, the most capable first. With a card those that are whole on it; without one, or where the card is
 * too small for any, those that the processor runs at a usable speed.
 */
export function recommend(machine: MachineMemory): Recommendation[] {
  const maxBillions = Math.min(MAX_PROCESSOR_BILLIONS, machine.cores * BILLIONS_PER_CORE);
  const rated = CANDIDATES.map(({ billions, activeBillions = billions, ...rest }) => {
    const sizeBytes = fileBytes(billions);
    return { ...rest, sizeBytes, fit: fitOf(sizeBytes, machine), activeBillions };
  });
  const onCard = rated.filter(({ fit }) => fit === 'card');
  const onProcessor = rated.filter(
    ({ fit, activeBillions }) => fit !== 'too large' && activeBillions <= maxBillions,
  );
  return (onCard.length > 0 ? onCard : onProcessor)
    .slice(0, MAX_RECOMMENDED)
    .map(({ activeBillions: _active, ...recommendation }) => recommendation);
}

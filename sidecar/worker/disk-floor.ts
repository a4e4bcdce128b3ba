/** The free disk space that a worker wants before it takes a task. */
import { freeDiskBytesSync, mebibytes } from '../system/free-disk.ts';

/** How much is missing to the floor below which no task is taken, or undefined. */
export function whyDiskIsFull(folder: string, minFreeBytes: number): string | undefined {
  const freeBytes = knownFreeBytes(folder);
  if (freeBytes >= minFreeBytes) return undefined;
  return `${mebibytes(freeBytes)} are free where worker.minFreeDiskBytes wants ${mebibytes(minFreeBytes)}`;
}

/** A disk that cannot be asked is not full; what is wrong with it shows where it is used. */
function knownFreeBytes(folder: string): number {
  try {
    return freeDiskBytesSync(folder);
  } catch {
    return Number.POSITIVE_INFINITY;
  }
}

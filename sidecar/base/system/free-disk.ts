/**
 * Measures the free space of a disk: the bytes that this user may still write to the file system of a folder.
 */
import { statfsSync, type StatsFs } from 'node:fs';
import { statfs } from 'node:fs/promises';

/** Returns the free bytes. Rejects with the system's error if the file system cannot be read. */
export const measureFreeDisk = async (folder: string): Promise<number> => freeBytesOf(await statfs(folder));

/** Returns the free bytes synchronously. Throws the system's error. */
export const measureFreeDiskSync = (folder: string): number => freeBytesOf(statfsSync(folder));

/** Formats bytes as mebibytes, such as `512 MiB`. */
export const formatMebibytes = (bytes: number): string => `${Math.round(bytes / 1024 ** 2)} MiB`;

const freeBytesOf = ({ bavail, bsize }: StatsFs): number => bavail * bsize;

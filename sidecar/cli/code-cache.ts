/**
 * Keeps what V8 compiled of the program for the next start of the same command: compiling is a third of a start. V8 itself
 * refuses what another version or other flags made; that it belongs to this very program says the file's name. The folder
 * is the user's own; a file that others could have written is not read. Nothing here ever fails a start.
 */
import {
  closeSync,
  fstatSync,
  mkdirSync,
  openSync,
  readFileSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { Script } from 'node:vm';
import { crc32 } from 'node:zlib';
import { ownFolder } from '../system/home-folder.ts';
import { EXIT } from './exit-codes.ts';

/** By then a daemon is up, and V8 has not yet dropped what only the start needed. */
const KEEP_AFTER_MS = 5000;
/** Files that were made longer ago are deleted when a new one is written, those in use too: their next start makes new ones. */
const MAX_AGE_MS = 7 * 24 * 60 * 60 * 1000;
/** At the file's end, since V8 looks at no more than the beginning and would end the process over a damaged rest. */
const CHECKSUM_BYTES = 4;
/** Writable by the group or by others. */
const FOREIGN_WRITE = 0o022;

export interface CachedProgram {
  /** A CommonJS module in pure ASCII. */
  file: string;
  /** Differs where the file's content does. */
  hash: string;
  /** Each command has a cache of its own, since each runs other parts of the program. */
  command: string | undefined;
}

/** Runs the module and returns its exports; what was compiled is kept five seconds later, or at the end where that is earlier. */
export function loadWithCodeCache({ file, hash, command }: CachedProgram): object {
  const folder = join(ownFolder('CACHE'), 'code');
  const cacheFile = join(folder, `${hash}-${process.version}-${process.arch}-${commandName(command)}`);
  const isOff = process.env.NODE_DISABLE_COMPILE_CACHE === '1';
  const cachedData = isOff ? undefined : readOwn(cacheFile);
  // One byte a character, which V8 then keeps as it is.
  const source = readFileSync(file, 'latin1');
  const script = new Script(`(function (exports, require, module, __programUrl) {${source}\n})`, {
    filename: file,
    ...(cachedData && { cachedData }),
  });
  const program = { exports: {} };
  const run = script.runInThisContext() as (...names: unknown[]) => void;
  run(program.exports, createRequire(file), program, pathToFileURL(file).href);
  if (!isOff && (!cachedData || script.cachedDataRejected)) keepSoon(script, folder, cacheFile);
  return program.exports;
}

function commandName(command: string | undefined): string {
  return command && /^[a-z][a-z-]{0,20}$/u.test(command) ? command : 'other';
}

/** What was kept, where the file is the user's own and whole; else undefined. */
function readOwn(file: string): Buffer | undefined {
  let fd: number | undefined;
  try {
    fd = openSync(file, 'r');
    const { uid, mode } = fstatSync(fd);
    if (uid !== process.getuid?.() || (mode & FOREIGN_WRITE) !== 0) return undefined;
    const content = readFileSync(fd);
    const data = content.subarray(0, -CHECKSUM_BYTES);
    return content.readUInt32LE(data.length) === crc32(data) ? data : undefined;
  } catch {
    return undefined;
  } finally {
    if (fd !== undefined) closeSync(fd);
  }
}

function keepSoon(script: Script, folder: string, file: string): void {
  const atExit = (exitCode: number): void => {
    // A word that is no command shall not leave a file.
    if (exitCode !== EXIT.usage) keep();
  };
  const keep = (): void => {
    clearTimeout(timer);
    process.off('exit', atExit);
    write(script.createCachedData(), folder, file);
  };
  const timer = setTimeout(keep, KEEP_AFTER_MS).unref();
  process.once('exit', atExit);
}

/** Whole or not at all. Where the folder cannot be written nothing is kept. */
function write(data: Buffer, folder: string, file: string): void {
  const part = `${file}.${process.pid}`;
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    const checksum = Buffer.alloc(CHECKSUM_BYTES);
    checksum.writeUInt32LE(crc32(data));
    writeFileSync(part, Buffer.concat([data, checksum]), { mode: 0o600, flush: true });
    renameSync(part, file);
    removeOld(folder);
  } catch {
    discard(part);
  }
}

/** Of a write that a full disk cut short. */
function discard(part: string): void {
  try {
    rmSync(part, { force: true });
  } catch {
    // Where nothing can be written there is nothing to remove.
  }
}

function removeOld(folder: string): void {
  for (const name of readdirSync(folder)) {
    const path = join(folder, name);
    if (Date.now() - statSync(path).mtimeMs > MAX_AGE_MS) rmSync(path, { recursive: true, force: true });
  }
}

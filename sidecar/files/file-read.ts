/**
 * Reading text files. A range of a large file is streamed, and only UTF-8 is text there. What is no text in any encoding
 * is refused by name and size, so that nothing is edited that could not be written back as it was. Byte order marks and
 * line endings stay as they are.
 */
import { isUtf8 } from 'node:buffer';
import type { FileHandle } from 'node:fs/promises';
import type { FileText } from '../ports.ts';
import { decodeText } from './encoding.ts';
import { EnvironmentError } from './environment-error.ts';

/** Most bytes that one read returns, whole file or range. */
export const MAX_READ_BYTES = 10 * 1024 * 1024;
const NEWLINE = 0x0a;
const CHUNK_BYTES = 1024 * 1024;
const SNIFF_BYTES = 8192;
/** After the wanted lines this much more is read, to count the file's lines. */
const COUNT_ON_BYTES = 32 * 1024 * 1024;

/** The whole file. Rejects with `BINARY_FILE` or `TOO_LARGE`. */
export async function readWholeFile(handle: FileHandle, shown: string, sizeBytes: number): Promise<FileText> {
  const bytes = await readBytes(handle, shown, sizeBytes);
  const decoded = decode(bytes, shown, sizeBytes);
  const lineCount = linesIn(decoded.text);
  return { ...decoded, firstLine: 1, lineCount, totalLines: lineCount, sizeBytes: bytes.length };
}

/** Rejects with `TOO_LARGE`. */
export async function readBytes(handle: FileHandle, shown: string, sizeBytes: number): Promise<Buffer> {
  if (sizeBytes > MAX_READ_BYTES) {
    throw new EnvironmentError(
      'TOO_LARGE',
      `${shown} has ${sizeBytes} bytes, more than the ${MAX_READ_BYTES} that are read at once; read a range of lines`,
    );
  }
  const chunks: Buffer[] = [];
  let readBytes = 0;
  for await (const chunk of chunksOf(handle)) {
    // It may have grown.
    if ((readBytes += chunk.length) > MAX_READ_BYTES) throw tooLong(shown, 1);
    chunks.push(Buffer.from(chunk));
  }
  return Buffer.concat(chunks);
}

/**
 * `limit` lines from line `offset` (from 1), each with its line ending. Past the end of the file: no text, and
 * `totalLines` says where it ends. Rejects with `BINARY_FILE`, or `TOO_LARGE` when these lines alone are too long.
 */
export async function readLines(
  handle: FileHandle,
  shown: string,
  sizeBytes: number,
  range: { offset: number; limit: number },
): Promise<FileText> {
  if (sizeBytes <= MAX_READ_BYTES) return linesOf(await readWholeFile(handle, shown, sizeBytes), range);
  const wanted: Buffer[] = [];
  let wantedBytes = 0;
  let linesBefore = range.offset - 1;
  let linesWanted = range.limit;
  let newlines = 0;
  let bytesAfter = 0;
  let lastByte = NEWLINE;
  let reachedEnd = true;
  for await (const chunk of chunksOf(handle)) {
    if (newlines === 0 && wantedBytes === 0 && linesBefore === range.offset - 1)
      refuseBinary(chunk, shown, sizeBytes);
    let start = 0;
    if (linesBefore > 0) {
      const skipped = skipLines(chunk, linesBefore);
      linesBefore -= skipped.newlines;
      newlines += skipped.newlines;
      start = skipped.end;
    }
    lastByte = chunk.at(-1) ?? lastByte;
    if (linesBefore === 0 && linesWanted > 0 && start < chunk.length) {
      const taken = skipLines(chunk.subarray(start), linesWanted);
      linesWanted -= taken.newlines;
      newlines += taken.newlines;
      wantedBytes += taken.end;
      if (wantedBytes > MAX_READ_BYTES) throw tooLong(shown, range.offset);
      wanted.push(Buffer.from(chunk.subarray(start, start + taken.end)));
      start += taken.end;
    }
    if (linesWanted === 0) {
      newlines += countNewlines(chunk.subarray(start));
      bytesAfter += chunk.length - start;
      if (bytesAfter > COUNT_ON_BYTES) {
        reachedEnd = false;
        break;
      }
    }
  }
  const bytes = Buffer.concat(wanted);
  const totalLines = newlines + (lastByte === NEWLINE ? 0 : 1);
  if (!isUtf8(bytes))
    throw new EnvironmentError(
      'BINARY_FILE',
      `${shown} (${sizeBytes} bytes) is large and not UTF-8 text; use a shell command such as file, iconv or xxd to look at it`,
    );
  const text = bytes.toString('utf8');
  return {
    text,
    firstLine: range.offset,
    lineCount: linesIn(text),
    ...(reachedEnd ? { totalLines } : {}),
    sizeBytes,
  };
}

function linesOf(file: FileText, { offset, limit }: { offset: number; limit: number }): FileText {
  const text = (file.text.match(/[^\n]*\n|[^\n]+$/g) ?? []).slice(offset - 1, offset - 1 + limit).join('');
  return { ...file, text, firstLine: offset, lineCount: linesIn(text) };
}

/** How far `lines` lines reach into `bytes`: the index after the last of their newlines, or all of it. */
function skipLines(bytes: Uint8Array, lines: number): { newlines: number; end: number } {
  let newlines = 0;
  let end = 0;
  while (newlines < lines) {
    const at = bytes.indexOf(NEWLINE, end);
    if (at === -1) return { newlines, end: bytes.length };
    newlines += 1;
    end = at + 1;
  }
  return { newlines, end };
}

const countNewlines = (bytes: Uint8Array): number => skipLines(bytes, Number.POSITIVE_INFINITY).newlines;

/** The file in chunks of one reused pair of buffers; the next is read while the last is looked at. */
async function* chunksOf(handle: FileHandle): AsyncGenerator<Buffer> {
  let [current, spare] = [Buffer.allocUnsafe(CHUNK_BYTES), Buffer.allocUnsafe(CHUNK_BYTES)];
  let position = 0;
  let pending = handle.read(current, 0, CHUNK_BYTES, 0);
  try {
    for (;;) {
      const { bytesRead } = await pending;
      if (bytesRead === 0) return;
      position += bytesRead;
      const ready = current.subarray(0, bytesRead);
      [current, spare] = [spare, current];
      pending = handle.read(current, 0, CHUNK_BYTES, position);
      yield ready;
    }
  } finally {
    await pending.catch(() => undefined);
  }
}

function linesIn(text: string): number {
  let lines = text === '' || text.endsWith('\n') ? 0 : 1;
  for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1)) lines += 1;
  return lines;
}

function decode(bytes: Buffer, shown: string, sizeBytes: number): Pick<FileText, 'text' | 'encoding'> {
  const decoded = decodeText(bytes);
  if (!decoded) throw binary(shown, sizeBytes);
  const { text, encoding } = decoded;
  return encoding === 'UTF-8' ? { text } : { text, encoding };
}

function refuseBinary(bytes: Buffer, shown: string, sizeBytes: number): void {
  if (bytes.subarray(0, SNIFF_BYTES).includes(0)) throw binary(shown, sizeBytes);
}

const binary = (shown: string, sizeBytes: number): EnvironmentError =>
  new EnvironmentError(
    'BINARY_FILE',
    `${shown} is a binary file (${sizeBytes} bytes); it cannot be read as text`,
  );

function tooLong(shown: string, line: number): EnvironmentError {
  return new EnvironmentError(
    'TOO_LARGE',
    `The lines of ${shown} from line ${line} have more than ${MAX_READ_BYTES} bytes; ask for fewer lines, or cut them with a shell command`,
  );
}

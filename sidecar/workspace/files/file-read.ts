/**
 * Reads text files. A range of a large file is streamed and must be UTF-8. A file that is not a text in any encoding is refused with its
 * name and size, so that no edit loses bytes. Byte order marks and line endings are retained.
 */
import { isUtf8 } from 'node:buffer';
import type { FileHandle } from 'node:fs/promises';
import type { FileText } from '../../base/ports.ts';
import { decodeText } from './encoding.ts';
import { EnvironmentError } from './environment-error.ts';

/** Maximum number of bytes of one read, whole file or range. */
export const MAX_READ_BYTES = 10 * 1024 * 1024;
const NEWLINE = 0x0a;
const CHUNK_BYTES = 1024 * 1024;
const SNIFF_BYTES = 8192;
/** Maximum number of bytes that are read after the wanted lines, to count the lines of the file. */
const MAX_COUNTED_BYTES = 32 * 1024 * 1024;

/** Reads a whole file. Rejects with `BINARY_FILE` or `TOO_LARGE`. */
export async function readWholeFile(
  handle: FileHandle,
  shownPath: string,
  sizeBytes: number,
): Promise<FileText> {
  const bytes = await readBytes(handle, shownPath, sizeBytes);
  const decoded = decodeOrRefuse(bytes, shownPath, sizeBytes);
  const lineCount = countLines(decoded.text);
  return { ...decoded, firstLine: 1, lineCount, totalLines: lineCount, sizeBytes: bytes.length };
}

/** Reads all bytes of a file. Rejects with `TOO_LARGE`. */
export async function readBytes(handle: FileHandle, shownPath: string, sizeBytes: number): Promise<Buffer> {
  if (sizeBytes > MAX_READ_BYTES) {
    throw new EnvironmentError(
      'TOO_LARGE',
      `${shownPath} has ${sizeBytes} bytes, more than the ${MAX_READ_BYTES} that can be read at once; read a range of lines`,
    );
  }
  const chunks: Buffer[] = [];
  let readBytes = 0;
  for await (const chunk of readChunks(handle)) {
    // The file may have grown.
    if ((readBytes += chunk.length) > MAX_READ_BYTES) throw createTooLongError(shownPath, 1);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

/**
 * Reads `limit` lines from line `offset` (from 1), with their line endings. Past the end of the file the text is empty, and `totalLines`
 * has the number of lines. Rejects with `BINARY_FILE`, or with `TOO_LARGE` if the requested lines alone are too long.
 */
export async function readLines(
  handle: FileHandle,
  shownPath: string,
  sizeBytes: number,
  range: { offset: number; limit: number },
): Promise<FileText> {
  if (sizeBytes <= MAX_READ_BYTES)
    return selectLines(await readWholeFile(handle, shownPath, sizeBytes), range);
  const wantedChunks: Buffer[] = [];
  const end = range.offset + range.limit;
  let wantedBytes = 0;
  let bytesAfter = 0;
  /** Number of the line that contains the next byte. */
  let line = 1;
  let lastByte = NEWLINE;
  for await (const chunk of readChunks(handle)) {
    if (line === 1 && wantedBytes === 0) refuseBinary(chunk, shownPath, sizeBytes);
    lastByte = chunk.at(-1) ?? lastByte;
    for (let unread = chunk; unread.length > 0;) {
      const endLine = line < range.offset ? range.offset : line < end ? end : Infinity;
      const { newlines, length } = measureLines(unread, endLine - line);
      if (endLine === end) {
        wantedBytes += length;
        if (wantedBytes > MAX_READ_BYTES) throw createTooLongError(shownPath, range.offset);
        wantedChunks.push(unread.subarray(0, length));
      } else if (endLine === Infinity) bytesAfter += length;
      line += newlines;
      unread = unread.subarray(length);
    }
    if (bytesAfter > MAX_COUNTED_BYTES) break;
  }
  const bytes = Buffer.concat(wantedChunks);
  const totalLines = line - (lastByte === NEWLINE ? 1 : 0);
  if (!isUtf8(bytes))
    throw new EnvironmentError(
      'BINARY_FILE',
      `${shownPath} (${sizeBytes} bytes) is large and not UTF-8 text; use a shell command such as file, iconv or xxd to look at it`,
    );
  const text = bytes.toString('utf8');
  return {
    text,
    firstLine: range.offset,
    lineCount: countLines(text),
    ...(bytesAfter > MAX_COUNTED_BYTES ? {} : { totalLines }),
    sizeBytes,
  };
}

function selectLines(file: FileText, { offset, limit }: { offset: number; limit: number }): FileText {
  const text = (file.text.match(/[^\n]*\n|[^\n]+$/g) ?? []).slice(offset - 1, offset - 1 + limit).join('');
  return { ...file, text, firstLine: offset, lineCount: countLines(text) };
}

/** Returns the length in bytes of the first `lines` lines of `bytes`, including the last newline, and the number of newlines. */
function measureLines(bytes: Buffer, lines: number): { newlines: number; length: number } {
  let newlines = 0;
  let length = 0;
  while (newlines < lines) {
    const newline = bytes.indexOf(NEWLINE, length);
    if (newline === -1) return { newlines, length: bytes.length };
    newlines += 1;
    length = newline + 1;
  }
  return { newlines, length };
}

const readChunks = (handle: FileHandle): AsyncIterable<Buffer> =>
  handle.createReadStream({ start: 0, autoClose: false, highWaterMark: CHUNK_BYTES });

function countLines(text: string): number {
  let lines = text === '' || text.endsWith('\n') ? 0 : 1;
  for (let position = text.indexOf('\n'); position !== -1; position = text.indexOf('\n', position + 1))
    lines += 1;
  return lines;
}

function decodeOrRefuse(
  bytes: Buffer,
  shownPath: string,
  sizeBytes: number,
): Pick<FileText, 'text' | 'encoding'> {
  const decoded = decodeText(bytes);
  if (!decoded) throw createBinaryFileError(shownPath, sizeBytes);
  const { text, encoding } = decoded;
  return encoding === 'UTF-8' ? { text } : { text, encoding };
}

function refuseBinary(bytes: Buffer, shownPath: string, sizeBytes: number): void {
  if (bytes.subarray(0, SNIFF_BYTES).includes(0)) throw createBinaryFileError(shownPath, sizeBytes);
}

const createBinaryFileError = (shownPath: string, sizeBytes: number): EnvironmentError =>
  new EnvironmentError(
    'BINARY_FILE',
    `${shownPath} is a binary file (${sizeBytes} bytes); it cannot be read as text`,
  );

function createTooLongError(shownPath: string, line: number): EnvironmentError {
  return new EnvironmentError(
    'TOO_LARGE',
    `The lines of ${shownPath} from line ${line} have more than ${MAX_READ_BYTES} bytes; ask for fewer lines, or cut them with a shell command`,
  );
}

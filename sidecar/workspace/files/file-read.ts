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
const COUNT_ON_BYTES = 32 * 1024 * 1024;

/** Reads a whole file. Rejects with `BINARY_FILE` or `TOO_LARGE`. */
export async function readWholeFile(handle: FileHandle, shown: string, sizeBytes: number): Promise<FileText> {
  const bytes = await readBytes(handle, shown, sizeBytes);
  const decoded = decode(bytes, shown, sizeBytes);
  const lineCount = countLines(decoded.text);
  return { ...decoded, firstLine: 1, lineCount, totalLines: lineCount, sizeBytes: bytes.length };
}

/** Reads all bytes of a file. Rejects with `TOO_LARGE`. */
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
    // The file may have grown.
    if ((readBytes += chunk.length) > MAX_READ_BYTES) throw tooLongError(shown, 1);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

/**
 * Reads `limit` lines from line `offset` (from 1), with their line endings. Past the end of the file the text is empty, and `totalLines`
 * has the number of lines. Rejects with `BINARY_FILE`, or `TOO_LARGE` if these lines alone are too long.
 */
export async function readLines(
  handle: FileHandle,
  shown: string,
  sizeBytes: number,
  range: { offset: number; limit: number },
): Promise<FileText> {
  if (sizeBytes <= MAX_READ_BYTES) return rangeOf(await readWholeFile(handle, shown, sizeBytes), range);
  const wanted: Buffer[] = [];
  const end = range.offset + range.limit;
  let wantedBytes = 0;
  let bytesAfter = 0;
  /** Line number of the next byte. */
  let line = 1;
  let lastByte = NEWLINE;
  for await (const chunk of chunksOf(handle)) {
    if (line === 1 && wantedBytes === 0) refuseBinary(chunk, shown, sizeBytes);
    lastByte = chunk.at(-1) ?? lastByte;
    for (let rest = chunk; rest.length > 0;) {
      const until = line < range.offset ? range.offset : line < end ? end : Infinity;
      const { newlines, length } = linesOf(rest, until - line);
      if (until === end) {
        wantedBytes += length;
        if (wantedBytes > MAX_READ_BYTES) throw tooLongError(shown, range.offset);
        wanted.push(rest.subarray(0, length));
      } else if (until === Infinity) bytesAfter += length;
      line += newlines;
      rest = rest.subarray(length);
    }
    if (bytesAfter > COUNT_ON_BYTES) break;
  }
  const bytes = Buffer.concat(wanted);
  const totalLines = line - (lastByte === NEWLINE ? 1 : 0);
  if (!isUtf8(bytes))
    throw new EnvironmentError(
      'BINARY_FILE',
      `${shown} (${sizeBytes} bytes) is large and not UTF-8 text; use a shell command such as file, iconv or xxd to look at it`,
    );
  const text = bytes.toString('utf8');
  return {
    text,
    firstLine: range.offset,
    lineCount: countLines(text),
    ...(bytesAfter > COUNT_ON_BYTES ? {} : { totalLines }),
    sizeBytes,
  };
}

function rangeOf(file: FileText, { offset, limit }: { offset: number; limit: number }): FileText {
  const text = (file.text.match(/[^\n]*\n|[^\n]+$/g) ?? []).slice(offset - 1, offset - 1 + limit).join('');
  return { ...file, text, firstLine: offset, lineCount: countLines(text) };
}

/** Returns the length of the first `lines` lines of `bytes`: up to the last of their newlines, or to the end. */
function linesOf(bytes: Buffer, lines: number): { newlines: number; length: number } {
  let newlines = 0;
  let length = 0;
  while (newlines < lines) {
    const at = bytes.indexOf(NEWLINE, length);
    if (at === -1) return { newlines, length: bytes.length };
    newlines += 1;
    length = at + 1;
  }
  return { newlines, length };
}

const chunksOf = (handle: FileHandle): AsyncIterable<Buffer> =>
  handle.createReadStream({ start: 0, autoClose: false, highWaterMark: CHUNK_BYTES });

function countLines(text: string): number {
  let lines = text === '' || text.endsWith('\n') ? 0 : 1;
  for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1)) lines += 1;
  return lines;
}

function decode(bytes: Buffer, shown: string, sizeBytes: number): Pick<FileText, 'text' | 'encoding'> {
  const decoded = decodeText(bytes);
  if (!decoded) throw binaryFileError(shown, sizeBytes);
  const { text, encoding } = decoded;
  return encoding === 'UTF-8' ? { text } : { text, encoding };
}

function refuseBinary(bytes: Buffer, shown: string, sizeBytes: number): void {
  if (bytes.subarray(0, SNIFF_BYTES).includes(0)) throw binaryFileError(shown, sizeBytes);
}

const binaryFileError = (shown: string, sizeBytes: number): EnvironmentError =>
  new EnvironmentError(
    'BINARY_FILE',
    `${shown} is a binary file (${sizeBytes} bytes); it cannot be read as text`,
  );

function tooLongError(shown: string, line: number): EnvironmentError {
  return new EnvironmentError(
    'TOO_LARGE',
    `The lines of ${shown} from line ${line} have more than ${MAX_READ_BYTES} bytes; ask for fewer lines, or cut them with a shell command`,
  );
}

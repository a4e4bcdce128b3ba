/**
 * Collects the output of a command in bounded memory. Beyond the limit the middle is dropped while the command continues. UTF-16 is decoded
 * if it is detected; other bytes that are not UTF-8 become U+FFFD. A character that arrives in two pieces remains whole, even if stdout and
 * stderr alternate.
 */
import { isUtf8 } from 'node:buffer';
import { StringDecoder } from 'node:string_decoder';
import { TextDecoder } from 'node:util';

/** Default limit that applies to stdout, to stderr, and to the combined output. */
export const MAX_OUTPUT_BYTES = 10 * 1024 * 1024;
/** Size of the first buffer. Most commands print little, and memory outside of the heap causes full garbage collections. */
const INITIAL_BUFFER_BYTES = 4 * 1024;

export type OutputStream = 'stdout' | 'stderr';

/** Growing buffer of bytes. A command may print byte by byte, and a buffer for each byte would need more memory than its content. */
class GrowingBuffer {
  #buffer = Buffer.alloc(0);
  sizeBytes = 0;

  get content(): Buffer {
    return this.#buffer.subarray(0, this.sizeBytes);
  }

  add(bytes: Buffer): void {
    const neededBytes = this.sizeBytes + bytes.length;
    if (neededBytes > this.#buffer.length) {
      const oldContent = this.content;
      this.#buffer = Buffer.allocUnsafe(Math.max(2 * this.#buffer.length, neededBytes, INITIAL_BUFFER_BYTES));
      oldContent.copy(this.#buffer);
    }
    bytes.copy(this.#buffer, this.sizeBytes);
    this.sizeBytes = neededBytes;
  }

  /** Drops all bytes except the last `count`. */
  retainLast(count: number): void {
    this.#buffer.copyWithin(0, this.sizeBytes - count, this.sizeBytes);
    this.sizeBytes = count;
  }
}

/**
 * Log that retains the beginning and the end of the appended bytes, each up to half of the limit. The end may temporarily use twice its
 * size.
 */
class BoundedLog {
  readonly #headMaxBytes: number;
  readonly #tailMaxBytes: number;
  readonly #head = new GrowingBuffer();
  readonly #tail = new GrowingBuffer();
  #totalBytes = 0;

  constructor(maxBytes: number) {
    this.#headMaxBytes = Math.ceil(maxBytes / 2);
    this.#tailMaxBytes = Math.floor(maxBytes / 2);
  }

  get droppedBytes(): number {
    return Math.max(0, this.#totalBytes - this.#headMaxBytes - this.#tailMaxBytes);
  }

  append(bytes: Buffer): void {
    this.#totalBytes += bytes.length;
    const forHead = Math.min(bytes.length, this.#headMaxBytes - this.#head.sizeBytes);
    this.#head.add(bytes.subarray(0, forHead));
    this.#tail.add(bytes.subarray(Math.max(forHead, bytes.length - this.#tailMaxBytes)));
    if (this.#tail.sizeBytes > 2 * this.#tailMaxBytes) this.#tail.retainLast(this.#tailMaxBytes);
  }

  readText(): string {
    const head = this.#head.content;
    const tail = this.#tail.content;
    if (this.droppedBytes === 0) return Buffer.concat([head, tail]).toString('utf8');
    const marker = `\n[... ${this.droppedBytes} bytes of output were dropped here ...]\n`;
    const last = tail.subarray(tail.length - this.#tailMaxBytes);
    return (
      new StringDecoder('utf8').write(head) +
      marker +
      last.subarray(countContinuationBytes(last)).toString('utf8')
    );
  }
}

/** Counts the bytes at the start of a chunk that continue a character of the previous chunk. */
function countContinuationBytes(bytes: Buffer): number {
  let count = 0;
  while (count < 3 && ((bytes[count] ?? 0) & 0xc0) === 0x80) count += 1;
  return count;
}

const BYTE_ORDER_MARKS = [Buffer.from('fffe', 'hex'), Buffer.from('feff', 'hex')];
const SAMPLE_BYTES = 256;
const MIN_SAMPLE_BYTES = 6;

const findByteOrderMark = (chunk: Buffer): 'utf-16le' | 'utf-16be' | undefined =>
  (['utf-16le', 'utf-16be'] as const)[
    BYTE_ORDER_MARKS.findIndex((bytes) => bytes.equals(chunk.subarray(0, 2)))
  ];

/** Detects output in UTF-16: it begins with a byte order mark, or every second byte is NUL. */
function detectUtf16(chunk: Buffer): 'utf-16le' | 'utf-16be' | undefined {
  const mark = findByteOrderMark(chunk);
  if (mark !== undefined && (chunk.length % 2 === 0 || chunk.includes(0))) return mark;
  const sample = chunk.subarray(0, SAMPLE_BYTES);
  if (sample.length < MIN_SAMPLE_BYTES) return undefined;
  const nulAt = (side: number, isNul: boolean): boolean =>
    sample.every((byte, index) => index % 2 !== side || (byte === 0) === isNul);
  if (nulAt(1, true) && nulAt(0, false)) return 'utf-16le';
  return nulAt(0, true) && nulAt(1, false) ? 'utf-16be' : undefined;
}

/** Collects the output of one command. `append` never throws; `finish` may be called once. */
export class OutputCollector {
  readonly #logs: Record<OutputStream | 'both', BoundedLog>;
  readonly #decoders = { stdout: new StringDecoder('utf8'), stderr: new StringDecoder('utf8') };
  readonly #pending = { stdout: false, stderr: false };
  readonly #utf16Decoders: Partial<Record<OutputStream, TextDecoder>> = {};
  readonly #onOutput: ((chunk: { stream: OutputStream; text: string }) => void) | undefined;
  #remainingLiveBytes: number;

  constructor(maxBytes: number, onOutput?: (chunk: { stream: OutputStream; text: string }) => void) {
    this.#logs = {
      stdout: new BoundedLog(maxBytes),
      stderr: new BoundedLog(maxBytes),
      both: new BoundedLog(maxBytes),
    };
    this.#onOutput = onOutput;
    this.#remainingLiveBytes = maxBytes;
  }

  append(stream: OutputStream, chunk: Buffer): void {
    const isUtf16 = this.#utf16Decoders[stream] !== undefined || detectUtf16(chunk) !== undefined;
    // A byte order mark is not valid in UTF-8. Bytes before it come from another program.
    const mark = isUtf16 ? 0 : Math.max(0, ...BYTE_ORDER_MARKS.map((bytes) => chunk.indexOf(bytes)));
    if (mark > 0) this.#appendPart(stream, chunk.subarray(0, mark));
    this.#appendPart(stream, chunk.subarray(mark));
  }

  #appendPart(stream: OutputStream, chunk: Buffer): void {
    // A piece may begin in the middle of a character. If it contains a NUL, it continues the previous UTF-16 output.
    const continues =
      this.#utf16Decoders[stream] !== undefined &&
      chunk.includes(0) &&
      findByteOrderMark(chunk) === undefined;
    const encoding = continues ? this.#utf16Decoders[stream]?.encoding : detectUtf16(chunk);
    if (encoding !== this.#utf16Decoders[stream]?.encoding) {
      this.#flushDecoder(stream);
      this.#utf16Decoders[stream] = encoding === undefined ? undefined : new TextDecoder(encoding);
    }
    const decoded = this.#utf16Decoders[stream]?.decode(chunk, { stream: true });
    if (decoded !== undefined) return this.#addToLogs(stream, Buffer.from(decoded, 'utf8'));
    // Valid UTF-8 is not decoded here, so that a gigabyte of output needs little time.
    if (!this.#pending[stream] && isUtf8(chunk)) return this.#addToLogs(stream, chunk);
    const text = this.#decoders[stream].write(chunk);
    this.#pending[stream] = true;
    if (text !== '') this.#addToLogs(stream, Buffer.from(text, 'utf8'));
  }

  finish(): { stdout: string; stderr: string; output: string; droppedBytes: number } {
    for (const stream of ['stdout', 'stderr'] as const) this.#flushDecoder(stream);
    const { stdout, stderr, both } = this.#logs;
    return {
      stdout: stdout.readText(),
      stderr: stderr.readText(),
      output: both.readText(),
      droppedBytes: both.droppedBytes,
    };
  }

  /** Adds an incomplete character at the end of a stream to the logs. */
  #flushDecoder(stream: OutputStream): void {
    const remainder = this.#utf16Decoders[stream]?.decode() ?? this.#decoders[stream].end();
    if (remainder !== '') this.#addToLogs(stream, Buffer.from(remainder, 'utf8'));
  }

  #addToLogs(stream: OutputStream, bytes: Buffer): void {
    this.#logs[stream].append(bytes);
    this.#logs.both.append(bytes);
    if (!this.#onOutput || this.#remainingLiveBytes <= 0) return;
    this.#remainingLiveBytes -= bytes.length;
    try {
      this.#onOutput({ stream, text: bytes.toString('utf8') });
    } catch {
      // A listener that throws must not break the run. It is not called again.
      this.#remainingLiveBytes = 0;
    }
  }
}

/**
 * Collects what a command prints in bounded memory: past the limit the middle is dropped
 * while the command goes on running. Bytes that are not UTF-8 become U+FFFD; a character that arrives in two
 * pieces stays whole, also where stdout and stderr alternate.
 */
import { isUtf8 } from 'node:buffer';
import { StringDecoder } from 'node:string_decoder';

/** Default limit of each of stdout, stderr and both in order. */
export const MAX_OUTPUT_BYTES = 10 * 1024 * 1024;
const BLOCK_BYTES = 64 * 1024;
/** Most commands print little, and memory outside of the heap brings on collections of all of it. */
const FIRST_BLOCK_BYTES = 4 * 1024;

export type OutputStream = 'stdout' | 'stderr';

/** The first and the last half of what was appended; memory is `maxBytes` at most. */
class BoundedLog {
  readonly #headMaxBytes: number;
  readonly #tailMaxBytes: number;
  readonly #head: Buffer[] = [];
  #headBytes = 0;
  /** Free in the last block. */
  #headRoomBytes = 0;
  /** Ring buffer of the newest bytes; grows up to its limit. */
  #tail = Buffer.alloc(0);
  #tailStart = 0;
  #tailBytes = 0;
  #totalBytes = 0;

  constructor(maxBytes: number) {
    this.#headMaxBytes = Math.ceil(maxBytes / 2);
    this.#tailMaxBytes = Math.floor(maxBytes / 2);
  }

  get droppedBytes(): number {
    return this.#totalBytes - this.#headBytes - this.#tailBytes;
  }

  append(bytes: Buffer): void {
    this.#totalBytes += bytes.length;
    const forHead = Math.min(bytes.length, this.#headMaxBytes - this.#headBytes);
    if (forHead > 0) this.#appendHead(bytes.subarray(0, forHead));
    if (forHead < bytes.length)
      this.#appendTail(bytes.subarray(Math.max(forHead, bytes.length - this.#tailMaxBytes)));
  }

  text(): string {
    const tail = Buffer.concat([
      this.#tail.subarray(this.#tailStart, this.#tailStart + this.#tailBytes),
      this.#tail.subarray(0, Math.max(0, this.#tailStart + this.#tailBytes - this.#tail.length)),
    ]);
    const start = Buffer.concat(this.#head, this.#headBytes);
    if (this.droppedBytes === 0) return Buffer.concat([start, tail]).toString('utf8');
    const marker = `\n[... ${this.droppedBytes} bytes of output were dropped here ...]\n`;
    return (
      new StringDecoder('utf8').write(start) +
      marker +
      tail.subarray(continuationBytes(tail)).toString('utf8')
    );
  }

  /** Copied into blocks: a command may print byte by byte, and each small buffer would cost more than it holds. */
  #appendHead(bytes: Buffer): void {
    for (let at = 0; at < bytes.length;) {
      const block = this.#headRoomBytes > 0 ? this.#head.at(-1) : undefined;
      const into = block ?? Buffer.allocUnsafe(this.#head.length === 0 ? FIRST_BLOCK_BYTES : BLOCK_BYTES);
      if (!block) this.#headRoomBytes = this.#head[this.#head.push(into) - 1]?.length ?? 0;
      const copied = bytes.copy(into, into.length - this.#headRoomBytes, at);
      this.#headRoomBytes -= copied;
      this.#headBytes += copied;
      at += copied;
    }
  }

  #appendTail(bytes: Buffer): void {
    this.#growTail(bytes.length);
    if (this.#tail.length === 0) return;
    const at = (this.#tailStart + this.#tailBytes) % this.#tail.length;
    const first = bytes.subarray(0, this.#tail.length - at);
    this.#tail.set(first, at);
    this.#tail.set(bytes.subarray(first.length), 0);
    const overwritten = Math.max(0, this.#tailBytes + bytes.length - this.#tail.length);
    this.#tailStart = (this.#tailStart + overwritten) % this.#tail.length;
    this.#tailBytes += bytes.length - overwritten;
  }

  #growTail(extraBytes: number): void {
    const needed = Math.min(this.#tailBytes + extraBytes, this.#tailMaxBytes);
    if (needed <= this.#tail.length) return;
    const larger = Buffer.alloc(
      Math.min(this.#tailMaxBytes, Math.max(needed, this.#tail.length * 2, BLOCK_BYTES)),
    );
    const end = this.#tailStart + this.#tailBytes;
    const copied = this.#tail.copy(larger, 0, this.#tailStart, Math.min(end, this.#tail.length));
    if (end > this.#tail.length) this.#tail.copy(larger, copied, 0, end - this.#tail.length);
    this.#tail = larger;
    this.#tailStart = 0;
  }
}

/** How many bytes at the start belong to a character that began before. */
function continuationBytes(bytes: Buffer): number {
  let count = 0;
  while (count < 3 && ((bytes[count] ?? 0) & 0xc0) === 0x80) count += 1;
  return count;
}

/** One command's output. `append` never throws; `finish` may be called once. */
export class OutputCollector {
  readonly #logs: Record<OutputStream | 'both', BoundedLog>;
  readonly #decoders = { stdout: new StringDecoder('utf8'), stderr: new StringDecoder('utf8') };
  readonly #pending = { stdout: false, stderr: false };
  readonly #onOutput: ((chunk: { stream: OutputStream; text: string }) => void) | undefined;
  #liveBytesLeft: number;

  constructor(maxBytes: number, onOutput?: (chunk: { stream: OutputStream; text: string }) => void) {
    this.#logs = {
      stdout: new BoundedLog(maxBytes),
      stderr: new BoundedLog(maxBytes),
      both: new BoundedLog(maxBytes),
    };
    this.#onOutput = onOutput;
    this.#liveBytesLeft = maxBytes;
  }

  append(stream: OutputStream, chunk: Buffer): void {
    // Valid text needs no decoding here, which is what keeps a gigabyte of output cheap.
    if (!this.#pending[stream] && isUtf8(chunk)) return this.#add(stream, chunk);
    const text = this.#decoders[stream].write(chunk);
    this.#pending[stream] = true;
    if (text !== '') this.#add(stream, Buffer.from(text, 'utf8'));
  }

  finish(): { stdout: string; stderr: string; output: string; droppedBytes: number } {
    for (const stream of ['stdout', 'stderr'] as const) {
      const rest = this.#decoders[stream].end();
      if (rest !== '') this.#add(stream, Buffer.from(rest, 'utf8'));
    }
    const { stdout, stderr, both } = this.#logs;
    return {
      stdout: stdout.text(),
      stderr: stderr.text(),
      output: both.text(),
      droppedBytes: both.droppedBytes,
    };
  }

  #add(stream: OutputStream, bytes: Buffer): void {
    this.#logs[stream].append(bytes);
    this.#logs.both.append(bytes);
    if (!this.#onOutput || this.#liveBytesLeft <= 0) return;
    this.#liveBytesLeft -= bytes.length;
    try {
      this.#onOutput({ stream, text: bytes.toString('utf8') });
    } catch {
      // Whoever watches must not be able to break the run; a listener that throws once is not asked again.
      this.#liveBytesLeft = 0;
    }
  }
}

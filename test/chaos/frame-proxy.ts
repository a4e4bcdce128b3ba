/**
 * A TCP proxy that knows where WebSocket frames begin and end, so that it can hold them up, send one twice, cut a
 * connection in the middle of one, or go on without a word (half-open). Addresses may change while it runs.
 */
import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net';

export interface Weather {
  /** Each frame waits so long. */
  delayMs: number;
  /** 0 to 1: a text frame is sent twice. */
  duplicates: number;
}

export interface FrameProxy {
  readonly port: number;
  readonly connections: number;
  weather: Weather;
  /** Ends all connections now, frames half sent included. */
  cut(): void;
  /** Existing connections stay open and carry nothing any more. */
  freeze(): void;
  close(): Promise<void>;
}

export async function startFrameProxy(targetPort: () => number, random: () => number): Promise<FrameProxy> {
  const pairs = new Set<Pair>();
  const weather: Weather = { delayMs: 0, duplicates: 0 };
  const proxy = {
    weather,
    get connections() {
      return pairs.size;
    },
    cut: () => pairs.forEach((pair) => pair.end()),
    freeze: () => pairs.forEach((pair) => pair.freeze()),
  };
  const server: Server = createServer((client) => {
    const pair = new Pair(client, connect(targetPort(), '127.0.0.1'), {
      weather: () => proxy.weather,
      random,
      onEnd: () => pairs.delete(pair),
    });
    pairs.add(pair);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return Object.assign(proxy, {
    port: (server.address() as AddressInfo).port,
    async close() {
      proxy.cut();
      await new Promise((resolve) => server.close(resolve));
    },
  });
}

interface PairOptions {
  weather: () => Weather;
  random: () => number;
  onEnd: () => void;
}

class Pair {
  readonly #sockets: readonly [Socket, Socket];
  readonly #options: PairOptions;
  readonly #timers = new Set<NodeJS.Timeout>();
  #open = 2;
  #frozen = false;
  #ended = false;

  constructor(client: Socket, upstream: Socket, options: PairOptions) {
    this.#sockets = [client, upstream];
    this.#options = options;
    this.#carry(client, upstream);
    this.#carry(upstream, client);
    for (const socket of this.#sockets) {
      socket.setNoDelay(true);
      socket.on('error', () => undefined);
      socket.on('close', () => {
        this.#open -= 1;
        // The ends of a frozen connection do not hear of each other.
        if (!this.#frozen || this.#open === 0) this.end();
      });
    }
  }

  freeze(): void {
    this.#frozen = true;
  }

  end(): void {
    if (this.#ended) return;
    this.#ended = true;
    for (const timer of this.#timers) clearTimeout(timer);
    for (const socket of this.#sockets) socket.destroy();
    this.#options.onEnd();
  }

  #carry(from: Socket, to: Socket): void {
    const splitter = new FrameSplitter();
    from.on('data', (chunk: Buffer) => {
      for (const { bytes, isText } of splitter.push(chunk)) this.#send(to, bytes, isText);
    });
  }

  #send(to: Socket, bytes: Buffer, isText: boolean): void {
    const { weather, random } = this.#options;
    const { delayMs, duplicates } = weather();
    const copies = isText && random() < duplicates ? 2 : 1;
    const send = () => {
      if (this.#frozen || this.#ended) return;
      for (let copy = 0; copy < copies; copy += 1) to.write(bytes);
    };
    if (delayMs === 0 && this.#timers.size === 0) {
      send();
      return;
    }
    // Timers of one length fire in order; a shorter delay after a longer one waits for what is on its way.
    const timer = setTimeout(
      () => {
        this.#timers.delete(timer);
        send();
      },
      Math.max(delayMs, this.#longestMs),
    );
    this.#longestMs = Math.max(delayMs, this.#longestMs);
    this.#timers.add(timer);
  }

  #longestMs = 0;
}

/** Cuts a stream into the HTTP head and then whole WebSocket frames, masked ones included. */
class FrameSplitter {
  #bytes = Buffer.alloc(0);
  #headSeen = false;

  push(chunk: Buffer): { bytes: Buffer; isText: boolean }[] {
    this.#bytes = Buffer.concat([this.#bytes, chunk]);
    const pieces: { bytes: Buffer; isText: boolean }[] = [];
    for (;;) {
      const size = this.#headSeen ? this.#frameBytes() : this.#headBytes();
      if (size === undefined || this.#bytes.length < size) return pieces;
      const bytes = this.#bytes.subarray(0, size);
      pieces.push({ bytes, isText: this.#headSeen && bytes[0] === 0x81 });
      this.#bytes = this.#bytes.subarray(size);
      this.#headSeen = true;
    }
  }

  #headBytes(): number | undefined {
    const end = this.#bytes.indexOf('\r\n\r\n');
    return end < 0 ? undefined : end + 4;
  }

  #frameBytes(): number | undefined {
    const second = this.#bytes[1];
    if (second === undefined) return undefined;
    const short = second & 0x7f;
    const head = (short === 126 ? 4 : short === 127 ? 10 : 2) + (second & 0x80 ? 4 : 0);
    if (this.#bytes.length < head) return undefined;
    if (short === 126) return head + this.#bytes.readUInt16BE(2);
    return head + (short === 127 ? Number(this.#bytes.readBigUInt64BE(2)) : short);
  }
}

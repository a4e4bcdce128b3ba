import { createServer, connect, type Server, type Socket } from 'node:net';
import type { AddressInfo } from 'node:net';
import { afterEach, expect, test } from '@jest/globals';
import { configSchema } from '../../sidecar/base/config/schema.ts';
import { OllamaExecutor } from '../../sidecar/solving/executors/ollama-executor.ts';
import { describeReal, model, url, WINDOW } from './real-ollama.ts';

const config = configSchema.parse({ ollama: { url, maxContextTokens: WINDOW } });
const simple = (id: string, description: string) => ({ task_id: id, description, agentic: false });

/** A way to the server that can be closed and opened again on the same port, as a server that is restarted. */
class Way {
  readonly #sockets = new Set<Socket>();
  #server: Server | undefined;
  #port = 0;

  async open(): Promise<string> {
    const { hostname, port } = new URL(url);
    const server = createServer((socket) => {
      const onward = connect(Number(port), hostname);
      for (const one of [socket, onward]) {
        this.#sockets.add(one);
        one.on('error', () => one.destroy());
        one.on('close', () => this.#sockets.delete(one));
      }
      socket.pipe(onward).pipe(socket);
    });
    this.#server = server;
    await new Promise<void>((resolve) => server.listen(this.#port, '127.0.0.1', resolve));
    this.#port = (server.address() as AddressInfo).port;
    return `http://127.0.0.1:${this.#port}`;
  }

  async close(): Promise<void> {
    const closed = new Promise<void>((resolve) =>
      this.#server ? this.#server.close(() => resolve()) : resolve(),
    );
    for (const socket of this.#sockets) socket.destroy();
    await closed;
    this.#server = undefined;
  }
}

describeReal('tasks with a real Ollama', () => {
  const way = new Way();
  afterEach(() => way.close());

  test('two at once both get their answer, and their tokens are counted', async () => {
    const executor = new OllamaExecutor({ config });
    const results = await Promise.all([
      executor.execute(simple('one', 'Say in one sentence what a cat is.'), { model }),
      executor.execute(simple('two', 'Say in one sentence what a dog is.'), { model }),
    ]);
    for (const result of results) {
      expect(result).toMatchObject({ status: 'success', termination_reason: 'final_answer' });
      expect(result.output.length).toBeGreaterThan(10);
      expect(result.tokens_out).toBeGreaterThan(3);
    }
  });

  test('a server that is stopped and started again in the middle of a task does not end it', async () => {
    const viaWay = await way.open();
    const executor = new OllamaExecutor({ config: { ...config, ollama: { ...config.ollama, url: viaWay } } });
    let restart: Promise<unknown> | undefined;
    const result = await executor.execute(
      simple('restarted', 'Write a JavaScript function that counts from 1 to 60, and show what it prints.'),
      { model, ollama_url: viaWay },
      (event) => {
        if (event.event_type === 'token') restart ??= way.close().then(() => way.open());
      },
    );
    expect(restart).toBeDefined();
    await restart;
    expect(result).toMatchObject({ status: 'success', termination_reason: 'final_answer' });
    expect(result.output).toMatch(/\b60\b/u);
  });
});

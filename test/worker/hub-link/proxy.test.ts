/** A hub that only a proxy leads to: its WebSocket and its HTTP API go through it, as the environment says. */
import { createServer } from 'node:http';
import { connect, type AddressInfo, type Socket } from 'node:net';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { findProxy } from '../../../sidecar/base/addresses/proxy.ts';
import { configSchema } from '../../../sidecar/base/config/schema.ts';
import { createHubClient } from '../../../sidecar/hub/client/hub-client.ts';
import { requestHub } from '../../../sidecar/hub/client/hub-request.ts';
import { silentLogger } from '../../../sidecar/base/observability/silent-logger.ts';
import { startWorker } from '../../../sidecar/worker/start-worker.ts';
import { eventually } from '../../support/eventually.ts';
import { say } from '../../support/scripted-model.ts';
import { startSystem, type TestSystem } from '../../support/sidecar.ts';

let system: TestSystem;
/** Where connections were asked for. */
let asked: string[];
/** The status that the proxy refuses with. */
let refusal: string | undefined;
/** Whether the proxy takes connections and answers nothing. */
let isSilent: boolean;

beforeEach(async () => {
  asked = [];
  refusal = undefined;
  isSilent = false;
  system = await startSystem({ turns: [say('Done.')] });
  const sockets = new Set<Socket>();
  const proxy = createServer().on('connect', ({ url = '' }, client) => {
    asked.push(url);
    sockets.add(client as Socket);
    if (isSilent) return undefined;
    if (refusal !== undefined) return client.end(`HTTP/1.1 ${refusal}\r\n\r\n`);
    const upstream = connect(Number(new URL(system.hub.url).port), '127.0.0.1', () => {
      client.write('HTTP/1.1 200 Connection established\r\n\r\n');
      upstream.pipe(client).pipe(upstream);
    });
    for (const socket of [client as Socket, upstream])
      sockets.add(socket.on('error', () => socket.destroy()));
    return undefined;
  });
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
  system.cleanup.add(() => {
    for (const socket of sockets) socket.destroy();
    proxy.close();
  });
  delete process.env.NO_PROXY;
  delete process.env.no_proxy;
  process.env.http_proxy = `http://me:word@127.0.0.1:${(proxy.address() as AddressInfo).port}`;
});
afterEach(() => system.cleanup.close());

const workerAt = async (url: string) =>
  startWorker({
    config: configSchema.parse({
      hub: { url, allowInsecure: true, agentId: 'w', token: await system.hub.issueToken('worker', 'w') },
      ollama: { url: system.model.url },
      model: { default: 'm' },
      sandbox: { mode: 'off' },
      worker: { stateDir: `${system.dir}/w`, dataDir: `${system.dir}/data` },
    }),
    logger: silentLogger,
  });

test('a worker and a client reach the hub by the proxy, and a task is done', async () => {
  const started = await workerAt('ws://hub.test/ws');
  if (!started.ok) throw new Error(started.failure.message);
  system.cleanup.add(() => started.value.stop());
  const client = createHubClient({ url: 'http://hub.test:81', token: system.hub.tokens.admin });
  const { task_id: id } = await client.submit({ description: 'Look' });
  await system.untilEnded(id);
  expect(new Set(asked)).toEqual(new Set(['hub.test:80', 'hub.test:81']));
});

test('what the proxy refuses is reported with its address, and without its password', async () => {
  refusal = '502 Bad Gateway';
  const client = createHubClient({ url: 'http://hub.test', token: 'x'.repeat(30) });
  const message = expect.stringMatching(
    /at http:\/\/hub\.test through the proxy http:\/\/127\.0\.0\.1:\d+\/? does not answer \(HTTP 502\)/u,
  );
  await expect(client.stats()).rejects.toThrow(expect.objectContaining({ message }));
});

test('a request through a proxy that never answers ends with its signal', async () => {
  isSilent = true;
  const stop = new AbortController();
  const response = requestHub('http://hub.test', '/api/stats', { signal: stop.signal });
  await eventually(() => asked.length > 0, 'the proxy is asked');
  stop.abort();
  await expect(response).rejects.toThrow(/hub\.test does not answer through the proxy/u);
});

describe('no proxy is used', () => {
  test.each([
    ['for what NO_PROXY names', 'https://hub.example/', { NO_PROXY: 'hub.example' }],
    ['for this machine', 'ws://127.0.0.1:4600/ws', {}],
    ['for an address of another scheme', 'https://hub.example/', {}],
  ])('%s', async (_name, url, env) => {
    Object.assign(process.env, env);
    expect(await findProxy(new URL(url))).toBeUndefined();
  });

  test('that speaks another protocol than HTTP: it is refused with advice', async () => {
    process.env.all_proxy = 'socks5://me:word@proxy:1080';
    await expect(findProxy(new URL('wss://hub.example/ws'))).rejects.toThrow(
      'The proxy socks5://proxy:1080 from the environment is not an http or https address, so the hub at hub.example cannot be reached through it. Set HTTPS_PROXY to http://host:port',
    );
    expect(await workerAt('wss://hub.example/ws')).toMatchObject({
      ok: false,
      failure: { code: 'hub_proxy_invalid' },
    });
  });
});

test('a proxy without a scheme is one of HTTP', async () => {
  process.env.HTTPS_PROXY = 'proxy.example:3128';
  expect((await findProxy(new URL('wss://hub.example/ws')))?.address).toMatch(
    /^http:\/\/proxy\.example:3128\/?$/u,
  );
});

/** What the page hears of the hub: its feed against a real hub, without a browser. */
import { afterEach, beforeEach, expect, jest, test } from '@jest/globals';
import { testHub } from './hub-fixture.ts';
import type { Json, TestHub } from './hub-fixture.ts';
import { eventually } from '../support/eventually.ts';

const page = new URL('../../sidecar/hub/dashboard/page/', import.meta.url);
let hub: TestHub;
let feed: Json;

beforeEach(async () => {
  hub = await testHub();
  const fetchAnywhere = globalThis.fetch;
  jest
    .spyOn(globalThis, 'fetch')
    .mockImplementation((path, init) => fetchAnywhere(new URL(path, hub.hub.url), init));
  const sessionStorage = { getItem: () => hub.hub.tokens.admin };
  Object.defineProperty(globalThis, 'sessionStorage', { value: sessionStorage, configurable: true });
});
afterEach(() => {
  feed?.stop();
  jest.restoreAllMocks();
});

test('a task that is left and opened again is told of from its first event', async () => {
  const taskId = await hub.submit();
  const { Feed }: Json = await import(new URL('feed.js', page).href);
  const told: string[] = [];
  const ignore = () => undefined;
  feed = new Feed({
    onTasks: ignore,
    onWorkers: ignore,
    onWorker: ignore,
    onTask: ignore,
    onRefused: ignore,
    onConnection: (state: string) => told.push(state),
    onDetail: (_detail: Json, { fresh }: { fresh: boolean }) => told.push(fresh ? 'fresh' : 'known'),
    onTaskEvent: (event: Json) => told.push(event.body.reason),
  });
  const expectTold = async (expected: string[]) => {
    await eventually(() => told.includes('live'), 'a live stream');
    expect(told.splice(0)).toEqual(expected);
  };
  feed.start({ taskId });
  await expectTold(['fresh', 'submitted', 'live']);
  feed.start({ filters: { status: 'queued' } });
  await expectTold(['known', 'live']);
  feed.start({ taskId: undefined });
  await expectTold(['live']);
  feed.start({ taskId });
  await expectTold(['fresh', 'submitted', 'live']);
});

/** `top` on a real hub with a worker that says what a test wants. */
import { expect, test } from '@jest/globals';
import pc from 'picocolors';
import { createHubClient } from '../../../sidecar/hub-client/hub-client.ts';
import { TopReader } from '../../../sidecar/cli/top/read-top.ts';
import { topLines } from '../../../sidecar/cli/top/top-lines.ts';
import { systemClock } from '../../../sidecar/system/clock.ts';
import { runningTask } from '../../hub/dashboard/tasks.ts';
import { testHub, type TestHub } from '../../hub/hub-fixture.ts';

const readerOf = ({ hub }: TestHub) =>
  new TopReader(createHubClient({ url: hub.url, token: hub.tokens.admin }), systemClock);
const plain = { color: pc.createColors(false), width: 100 };

test('says what each running task does, how busy its model is, and what waits for what', async () => {
  const hub = await testHub();
  const { worker, id } = await runningTask(hub);
  await hub.submit({ labels: ['h200'] });
  const call = { event_type: 'status', text: '', model: 'qwen3:8b' };
  const times = { read_ms: 1_000, write_ms: 5_000, tokens_out: 200 };
  worker.event(id, { ...call, model_call: { id: 'm', phase: 'finished', kind: 'answer', ...times } });
  worker.event(id, {
    event_type: 'tool_call',
    phase: 'started',
    tool_name: 'run_command',
    text: 'run_command npm\u001B[31m test',
  });
  const reader = readerOf(hub);
  const giveUpMs = Date.now() + 25_000;
  let figures = await reader.read();
  while (!figures.running[0]?.stage?.startsWith('run_command') && Date.now() < giveUpMs) {
    figures = await reader.read();
  }
  expect(figures).toMatchObject({
    load: 1,
    capacity: 4,
    tasks: { running: 1, queued: 1 },
    workers: [{ agent_id: 'worker-1', load: 1 }],
    waiting: [{ count: 1, reason: 'a worker with the labels h200: none is connected' }],
    running: [{ task_id: id, worker_id: 'worker-1', model: 'qwen3:8b' }],
    models: [{ model: 'qwen3:8b', calls: 1, busy_share: 0.1, tokens_per_second: 40 }],
  });
  const screen = topLines(figures, plain).join('\n');
  expect(screen).toContain('1/4 running');
  expect(screen).toContain('busy 10 %');
  expect(screen).toContain('40 tokens/s');
  expect(screen).toMatch(/Fix the sum\s+run_command npm‹U\+001B…/u);
  expect(screen).toContain('for a worker with the labels h200');
  expect(screen).not.toContain('\u001B');
});

test('an idle hub has a short screen, and one that went away says so above its old figures', async () => {
  const hub = await testHub();
  const reader = readerOf(hub);
  const figures = await reader.read();
  expect(topLines(figures, { ...plain, live: true })).toEqual([
    'ollama-sidecar  0/0 running  0 queued  0 done  0 partial  0 failed',
    '',
    'WORKERS',
    '  none is connected',
    '',
    'q quits',
  ]);
  await hub.hub.close();
  await expect(reader.read()).rejects.toMatchObject({ code: 'hub_unreachable' });
  expect(topLines(figures, { ...plain, problem: 'gone\nfor good' })[1]).toBe('old figures: gone for good');
});

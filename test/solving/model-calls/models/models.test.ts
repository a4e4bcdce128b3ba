import { once } from 'node:events';
import { describe, expect, test } from '@jest/globals';
import { createCallEvents } from '../../../../sidecar/solving/model-calls/models/call-events.ts';
import { chooseServer } from '../../../../sidecar/solving/model-calls/models/open-server.ts';
import { PromptDetails } from '../../../../sidecar/solving/model-calls/models/prompt-details.ts';
import { createServerHold } from '../../../../sidecar/solving/model-calls/models/server-hold.ts';
import { configSchema } from '../../../../sidecar/base/config/schema.ts';
import type { ChatMessage, ChatReply } from '../../../../sidecar/model/chat.ts';
import type { CallListener } from '../../../../sidecar/model/model-session.ts';
import { Scheduler } from '../../../../sidecar/model/servers/scheduler.ts';
import { silentLogger } from '../../../../sidecar/base/observability/silent-logger.ts';
import type { ExecutionEvent } from '../../../../sidecar/base/protocol/events.ts';
import { TaskControl } from '../../../../sidecar/solving/task/task-control.ts';
import { ManualClock } from '../../../support/manual-clock.ts';
import { chatsOf, say, testModel } from '../../../support/scripted-model.ts';
import { execute } from '../../../support/scripted-run.ts';

describe('the model of a task', () => {
  const models = [
    { name: 'nomic-embed-text', capabilities: ['embedding'] },
    { name: 'vectors', capabilities: ['embedding'] },
    { name: 'm' },
  ];
  const answered = async (routing: object, more: object = {}) => {
    const server = await testModel({ models, turns: [say('done')] });
    const task = { agentic: false, routing_decision: routing };
    const { result, events } = await execute({ server, task, ...more });
    return {
      result,
      models: chatsOf(server).map(({ model }) => model),
      texts: events.map(({ text }) => text),
    };
  };

  test('that the hub named for a server which is not allowed is only a wish: the catalogue chooses', async () => {
    const { result, models, texts } = await answered({
      selected_endpoint: 'gpu.example.org:11434',
      selected_model: 'llama3:70b',
    });
    expect(result).toMatchObject({ status: 'success', model_used: 'm' });
    expect(models).toEqual(['m']);
    expect(texts).toContain('model llama3:70b is not installed; using m');
  });

  test.each(['nomic-embed-text', 'vectors'])('is never one that cannot chat, such as %s', async (named) => {
    const { result, models, texts } = await answered({ selected_model: named });
    expect(result).toMatchObject({ status: 'success', model_used: 'm' });
    expect(models).toEqual(['m']);
    expect(texts).toContain(`model ${named} cannot chat; using m`);
  });

  test('that the hub named for the configured server and is missing there fails the task', async () => {
    const { result } = await answered({ selected_model: 'llama3:70b' });
    expect(result).toMatchObject({ status: 'failed', error: expect.stringContaining('model_not_found') });
  });
});

test('the scheduler forgets a task that ends because its model cannot be loaded', async () => {
  const server = await testModel({
    models: [{ name: 'm' }],
    endpoints: { load: [{ kind: 'status', status: 400, body: { error: 'no such format' } }] },
    turns: [say('done')],
  });
  const forgotten: string[] = [];
  class WatchedScheduler extends Scheduler {
    override forgetTask(taskId: string): void {
      forgotten.push(taskId);
      super.forgetTask(taskId);
    }
  }
  const { result } = await execute({ server, deps: { scheduler: new WatchedScheduler() } });
  expect(result.error).toContain('no such format');
  expect(forgotten).toEqual(['t1']);
});

describe('the choice of the model server', () => {
  test('a hub may pick the configured server by any of its loopback names', () => {
    expect(chooseServer('localhost:11434', { url: 'http://127.0.0.1:11434', allowedHosts: [] })).toEqual({
      url: 'http://127.0.0.1:11434',
    });
  });

  test.each(['localhost:5000', '127.0.0.1:11435', '[::1]:80', 'gpu:22', 'gpu'])(
    'another port than the configured one is refused: %s',
    (selected) => {
      const policy = { url: 'http://127.0.0.1:11434', allowedHosts: ['gpu:8080', 'not a host'] };
      expect(chooseServer(selected, policy)).toMatchObject({
        url: 'http://127.0.0.1:11434',
        refusal: expect.stringContaining('ollama.allowedHosts'),
      });
    },
  );

  test("an allowed host without a port means Ollama's own", () => {
    const policy = { url: 'http://127.0.0.1:11434', allowedHosts: ['gpu'] };
    expect(chooseServer('gpu:11434', policy).refusal).toBeUndefined();
    expect(chooseServer('gpu:22', policy).refusal).toBeDefined();
  });

  test('a hub may pick an allowed host and no other', () => {
    const policy = { url: 'http://127.0.0.1:11434', allowedHosts: ['gpu:11434'] };
    expect(chooseServer('gpu:11434', policy)).toEqual({ url: 'http://gpu:11434' });
    const refused = chooseServer('evil:11434', policy);
    expect(refused.url).toBe('http://127.0.0.1:11434');
    expect(refused.refusal).toContain('ollama.allowedHosts');
  });

  test('what is no address falls back and says so', () => {
    expect(chooseServer('file:///etc', { url: ':1', allowedHosts: [] }).refusal).toBeDefined();
  });
});

const system: ChatMessage = { role: 'system', content: 'You work.' };
const user: ChatMessage = { role: 'user', content: 'Fix it.' };
const asked: ChatMessage = {
  role: 'assistant',
  content: '',
  tool_calls: [{ function: { name: 'grep', arguments: { pattern: 'x' } } }],
};
const found: ChatMessage = { role: 'tool', tool_name: 'grep', content: 'a.ts:1' };

test('each call has the messages that are new since the one before', () => {
  const prompts = new PromptDetails();
  const messages = [system, user];
  expect(prompts.describeNew(messages)).toEqual([
    { title: 'Prompt: system', text: 'You work.' },
    { title: 'Prompt: user', text: 'Fix it.' },
  ]);
  messages.push(asked, found);
  expect(prompts.describeNew(messages)).toEqual([
    { title: 'Prompt', text: 'Same as in the previous call up to message 2, then:' },
    { title: 'Prompt: answer of the model', text: 'grep {"pattern":"x"}' },
    { title: 'Prompt: result of grep', text: 'a.ts:1' },
  ]);
});

test('the same prompt again is said to be the same, also where its messages were made anew', () => {
  const prompts = new PromptDetails();
  prompts.describeNew([system, user]);
  expect(prompts.describeNew([{ ...system }, { ...user }])).toEqual([
    { title: 'Prompt', text: 'Same as in the previous call.' },
  ]);
});

test('a conversation that was made shorter is shown from where it differs', () => {
  const prompts = new PromptDetails();
  prompts.describeNew([system, user, asked, found]);
  expect(prompts.describeNew([system, { ...user, content: 'In short: fix it.' }])).toEqual([
    { title: 'Prompt', text: 'Same as in the previous call up to message 1, then:' },
    { title: 'Prompt: user', text: 'In short: fix it.' },
  ]);
});

const failure = { code: 'model_unreachable', message: 'no answer' };

test('a wait ends with the last call that needs it', async () => {
  const clock = new ManualClock();
  const told: string[] = [];
  const server: Parameters<typeof createServerHold>[1] = {
    downReason: 'no answer',
    hasAlternative: false,
    attributeFailure: () => Promise.resolve(true),
    recordAnswer: () => undefined,
    waitUntilUp: async (signal) => void (await once(signal, 'abort')),
  };
  const control = new TaskControl();
  const hold = createServerHold(
    {
      control,
      clock,
      config: configSchema.parse({}),
      emit: ({ text }: { text: string }) => told.push(text),
      logger: silentLogger,
      workspace: { base: { listChangedPaths: () => Promise.resolve({ ok: true as const, value: [] }) } },
    },
    server,
  );
  const stops = [1, 2].map(() => new AbortController());
  const [first, second] = stops.map(({ signal }) => hold.waitForRecovery(failure, true, signal));
  await clock.advance(1_000);
  stops[0]?.abort();
  expect(await first).toBe(false);
  expect(control.hold).toBeDefined();
  stops[1]?.abort();
  expect(await second).toBe(false);
  await clock.advance(1_000);
  expect(control.hold).toBeUndefined();
  expect(told).toEqual([
    'On hold: waiting for the model server (no answer)',
    'The task no longer needs the model server',
  ]);
});

test('calls that wait for a server at the same time wait once: it is told once, and costs the time once', async () => {
  const clock = new ManualClock();
  const told: string[] = [];
  const waiting: (() => void)[] = [];
  let downReason: string | undefined;
  const server: Parameters<typeof createServerHold>[1] = {
    get downReason() {
      return downReason;
    },
    hasAlternative: false,
    attributeFailure: () => Promise.resolve(true),
    recordAnswer: () => undefined,
    waitUntilUp: () => new Promise<void>((resolve) => waiting.push(resolve)),
  };
  const config = configSchema.parse({ limits: { holdTimeoutMs: 100_000 } });
  const emit = ({ text }: { text: string }) => told.push(text);
  const workspace = { base: { listChangedPaths: () => Promise.resolve({ ok: true as const, value: [] }) } };
  const run = {
    control: new TaskControl(),
    clock,
    config,
    emit,
    logger: silentLogger,
    workspace,
  };
  const hold = createServerHold(run, server);
  for (let outage = 1; outage <= 2; outage += 1) {
    told.splice(0);
    downReason = 'no answer';
    const calls = [1, 2, 3].map(() => hold.waitForRecovery(failure, true));
    await clock.advance(40_000);
    downReason = undefined;
    for (const goOn of waiting.splice(0)) goOn();
    expect(await Promise.all(calls)).toEqual([true, true, true]);
    expect(told).toEqual([
      'On hold: waiting for the model server (no answer)',
      'The model server answers again after 40 s. The task continues',
    ]);
  }
});

const reply: ChatReply = {
  message: { role: 'assistant', content: 'Done.' },
  doneReason: 'stop',
  tokensIn: 1000,
  tokensCached: 900,
  tokensOut: 50,
  totalNs: 2.2e9,
  loadNs: 0.2e9,
  promptEvalNs: 0.5e9,
  evalNs: 1.2e9,
};

function told(
  kind: 'load' | 'answer',
  end: Parameters<CallListener['onEnd']>,
  { wrote = [] }: { wrote?: string[] } = {},
) {
  const events: ExecutionEvent[] = [];
  const tell = createCallEvents(
    (event) => events.push(event),
    'qwen',
    () => 'model-1',
  );
  const call = tell(kind);
  for (const text of wrote) call.onText(text);
  call.onEnd(...end);
  return events;
}

test('a call of the model is told at its beginning and at its end, with parts that add up to its time', () => {
  const [started, finished] = told('answer', [{ ok: true, value: reply }, 2_500.4]);
  expect(started).toEqual({
    event_type: 'status',
    model: 'qwen',
    text: 'Asking qwen',
    model_call: { id: 'model-1', phase: 'started', kind: 'answer' },
  });
  expect(finished).toEqual({
    event_type: 'status',
    model: 'qwen',
    text: 'qwen read 1000 tokens and wrote 50 in 2.5 s',
    success: true,
    duration_ms: 2500,
    model_call: {
      id: 'model-1',
      phase: 'finished',
      kind: 'answer',
      wait_ms: 600,
      load_ms: 200,
      read_ms: 500,
      write_ms: 1200,
      tokens_in: 1000,
      tokens_out: 50,
      tokens_cached: 900,
    },
  });
});

test('what is written is told with the call that it belongs to, and nothing is not told', () => {
  const [, ...pieces] = told('answer', [{ ok: true, value: reply }, 2_500], { wrote: ['Do', '', 'ne.'] });
  expect(pieces.slice(0, -1)).toEqual(
    ['Do', 'ne.'].map((text) => ({
      event_type: 'token',
      model: 'qwen',
      text,
      model_call: { id: 'model-1', phase: 'writing', kind: 'answer' },
    })),
  );
});

test('a server that claims more time than went by does not make a call longer', () => {
  const [, finished] = told('answer', [{ ok: true, value: reply }, 1_000]);
  expect(finished?.model_call).toMatchObject({ wait_ms: 0, load_ms: 0, read_ms: 0, write_ms: 1000 });
});

test('a call without an answer says why, and guesses no parts', () => {
  const failure = { code: 'model_timeout', message: 'no answer', retryable: true };
  const [, finished] = told('load', [{ ok: false, failure }, 3_000]);
  expect(finished).toMatchObject({
    text: 'qwen failed after 3.0 s: model_timeout',
    success: false,
    duration_ms: 3000,
    model_call: { id: 'model-1', phase: 'finished', kind: 'load' },
  });
});

test('what was read in too short a time was cached, where the server does not say it', () => {
  const { tokensCached: _, ...silent } = reply;
  const cachedOf = (readTokens: number) =>
    told('answer', [{ ok: true, value: { ...silent, readTokens } }, 2_500]).at(-1)?.model_call?.tokens_cached;
  expect(cachedOf(30)).toBe(970);
  expect(cachedOf(1000)).toBeUndefined();
});

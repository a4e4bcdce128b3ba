import { afterEach, describe, expect, test } from '@jest/globals';
import type { ConfigInput } from '../../sidecar/base/config/schema.ts';
import type { ScenarioInput } from '../../sidecar/model/scripted/scenario.ts';
import { freePort } from '../support/free-port.ts';
import { startCollector, type CollectedSpan, type Collector } from '../support/collector.ts';
import { call, say } from '../support/scripted-model.ts';
import { startSystem, type TestSystem } from '../support/sidecar.ts';

const SECRET = 'sk-0123456789abcdef0123456789abcdef';
let system: TestSystem | undefined;
let collector: Collector | undefined;
afterEach(async () => {
  await system?.cleanup.close();
  await collector?.close();
  system = collector = undefined;
});

const scenario: ScenarioInput = {
  turns: [
    call('write_file', { file_path: 'a.txt', content: SECRET }),
    call('read_file', { file_path: 'nope.txt' }),
    call('fly'),
    say(`It says ${SECRET}.`),
  ],
};
const checked = {
  agentic: true,
  description: 'Write the key down',
  verification_steps: [{ type: 'file_exists', target: 'a.txt' }],
};

/** One task through hub, socket and worker; the worker has ended, so everything was sent. */
async function traced(
  observability: ConfigInput['observability'],
  task: Record<string, unknown> = checked,
  turns: ScenarioInput = scenario,
) {
  system = await startSystem(turns);
  const worker = await system.worker('w1', { observability });
  const ended = await system.finish(task);
  const startedMs = performance.now();
  await worker.stop();
  return { ended, stopMs: performance.now() - startedMs };
}

const byName = (spans: CollectedSpan[], name: string) => spans.filter((span) => span.name === name);
const agentSpan = (spans: CollectedSpan[]) => {
  const [agent, ...others] = byName(spans, 'invoke_agent ollama-sidecar');
  expect(others).toEqual([]);
  if (!agent) throw new Error('no invoke_agent span came');
  return agent;
};

describe('the trace of a task', () => {
  test('tells the attempt, each call of the model and each tool call, by the conventions', async () => {
    collector = await startCollector();
    const { ended } = await traced({ otlpEndpoint: collector.url });
    expect(ended.status).toBe('success');
    const { spans } = collector;
    const agent = agentSpan(spans);
    expect(agent).toMatchObject({ kind: 1, status: { code: 0 } });
    expect(agent.parentSpanId).toBeUndefined();
    expect(agent.attributes).toMatchObject({
      'gen_ai.operation.name': 'invoke_agent',
      'gen_ai.provider.name': 'ollama',
      'gen_ai.agent.name': 'ollama-sidecar',
      'gen_ai.agent.id': 'w1',
      'gen_ai.request.model': 'm',
      'gen_ai.conversation.id': ended.task_id,
      'ollama_sidecar.task.id': ended.task_id,
      'ollama_sidecar.task.generation': 1,
      'ollama_sidecar.task.resumed': false,
      'ollama_sidecar.task.outcome': 'success',
      'ollama_sidecar.task.termination_reason': 'final_answer',
      'ollama_sidecar.task.iterations': 4,
      'ollama_sidecar.verification.status': 'verified',
      'gen_ai.usage.input_tokens': ended.tokens_in,
      'gen_ai.usage.output_tokens': ended.tokens_out,
    });
    expect(agent.events.map(({ name }) => name)).toEqual(['ollama_sidecar.model_loaded']);
    expect(agent.resource).toMatchObject({ 'service.name': 'ollama-sidecar', 'service.instance.id': 'w1' });

    const chats = byName(spans, 'chat m');
    expect(chats).toHaveLength(4);
    const port = Number(new URL(system?.model.url ?? '').port);
    for (const chat of chats) {
      expect(chat).toMatchObject({ kind: 3, status: { code: 0 } });
      expect(chat.attributes).toMatchObject({
        'gen_ai.operation.name': 'chat',
        'gen_ai.provider.name': 'ollama',
        'gen_ai.request.model': 'm',
        'gen_ai.response.model': 'm',
        'gen_ai.request.temperature': 0.2,
        'gen_ai.response.finish_reasons': ['stop'],
        'gen_ai.output.type': 'text',
        'server.address': '127.0.0.1',
        'server.port': port,
      });
    }
    const total = (key: string) => chats.reduce((sum, { attributes }) => sum + Number(attributes[key]), 0);
    expect(total('gen_ai.usage.input_tokens')).toBe(ended.tokens_in);
    expect(total('gen_ai.usage.output_tokens')).toBe(ended.tokens_out);

    const tools = spans.filter(({ name }) => name.startsWith('execute_tool '));
    expect(
      tools.map(({ name, status, attributes }) => [
        name,
        attributes['gen_ai.tool.name'],
        attributes['gen_ai.tool.call.id'],
        status.code,
        attributes['error.type'],
      ]),
    ).toEqual([
      ['execute_tool write_file', 'write_file', '1.1', 0, undefined],
      ['execute_tool read_file', 'read_file', '2.1', 2, 'tool_error'],
      ['execute_tool unknown', 'fly', '3.1', 2, 'unknown_tool'],
    ]);
    for (const span of [...chats, ...tools]) {
      expect(span).toMatchObject({ traceId: agent.traceId, parentSpanId: agent.spanId });
      expect(span.endNs).toBeGreaterThanOrEqual(span.startNs);
    }
  });

  test('holds nothing of what was said or done', async () => {
    collector = await startCollector();
    await traced({ otlpEndpoint: collector.url });
    const sent = collector.requests.map(({ body }) => body).join('\n');
    for (const text of [SECRET, 'Write the key down', 'It says', 'nope.txt', 'Unknown tool'])
      expect(sent).not.toContain(text);
  });

  test('goes on the trace of whoever asked for the task', async () => {
    collector = await startCollector();
    const traceparent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';
    await traced({ otlpEndpoint: `${collector.url}/` }, { agentic: false, metadata: { traceparent } });
    const agent = agentSpan(collector.spans);
    expect(agent).toMatchObject({
      traceId: '0af7651916cd43dd8448eb211c80319c',
      parentSpanId: 'b7ad6b7169203331',
    });
    const [chat] = byName(collector.spans, 'chat m');
    expect(chat?.attributes).toMatchObject({
      'gen_ai.request.stream': true,
      'gen_ai.response.time_to_first_chunk': expect.any(Number),
    });
    expect(collector.requests[0]?.path).toBe('/v1/traces');
  });

  test('of a task that failed says why, in a stable word', async () => {
    collector = await startCollector();
    const repo = '/nowhere/at/all';
    await traced({ otlpEndpoint: collector.url }, { agentic: true, repo });
    const agent = agentSpan(collector.spans);
    const type = agent.attributes['error.type'];
    expect(type).toMatch(/^workspace_[a-z_]+$/u);
    expect(agent.status).toEqual({ code: 2, message: type });
    expect(agent.attributes).toMatchObject({ 'ollama_sidecar.task.outcome': 'failed' });
  });

  test('of a call that failed says why; the repetition is a call of its own', async () => {
    collector = await startCollector();
    const busy = { kind: 'status' as const, status: 503 };
    const turns = [{ ...say('Done.'), faults: [busy] }];
    await traced({ otlpEndpoint: collector.url }, { agentic: true }, { turns });
    const chats = byName(collector.spans, 'chat m');
    expect(chats.map(({ status, attributes }) => [status.code, attributes['error.type']])).toEqual([
      [2, 'model_busy'],
      [0, undefined],
    ]);
  });

  test('of a shell task tells its command as a tool call', async () => {
    collector = await startCollector();
    await traced(
      { otlpEndpoint: collector.url },
      {
        metadata: { shell_command: 'exit 3' },
        routing_decision: { target_type: 'sidecar' },
      },
    );
    const agent = agentSpan(collector.spans);
    expect(agent.attributes).not.toHaveProperty(['gen_ai.request.model']);
    const [shell] = byName(collector.spans, 'execute_tool shell');
    expect(shell).toMatchObject({ parentSpanId: agent.spanId, status: { code: 2 } });
    expect(shell?.attributes['error.type']).toBe('exit_code');
  });
});

describe('a collector that', () => {
  test('is not there changes nothing for the task', async () => {
    const port = await freePort();
    const { ended, stopMs } = await traced({ otlpEndpoint: `http://127.0.0.1:${port}` });
    expect(ended).toMatchObject({ status: 'success', verification_status: 'verified' });
    expect(stopMs).toBeLessThan(20_000);
  });

  test('answers 503 changes nothing for the task', async () => {
    collector = await startCollector((response) => void response.writeHead(503).end());
    const { ended, stopMs } = await traced({ otlpEndpoint: collector.url });
    expect(ended.status).toBe('success');
    expect(collector.requests.length).toBeGreaterThan(1);
    expect(stopMs).toBeLessThan(20_000);
  });

  test('never answers changes nothing for the task', async () => {
    collector = await startCollector(() => undefined);
    const { ended, stopMs } = await traced({ otlpEndpoint: collector.url });
    expect(ended.status).toBe('success');
    expect(stopMs).toBeLessThan(20_000);
  });
});

import { expect, test } from '@jest/globals';
import { parseToolCalls } from '../../sidecar/parsing/answers/parse-answer.ts';
import { ask, describeReal, model, openServer, WINDOW } from './real-ollama.ts';

const weather = {
  type: 'function' as const,
  function: {
    name: 'get_weather',
    description: 'The weather of a city',
    parameters: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
  },
};
const LONG = Array.from({ length: 120 }, (_value, index) => `Line ${index}: the quick brown fox jumps.`).join(
  '\n',
);

describeReal('a real Ollama', () => {
  test('native tools: a call can be read from the answer', async () => {
    const { message } = await ask('What is the weather in Paris? Use the tool.', { tools: [weather] });
    const parsed = parseToolCalls(message, { tools: [weather], mode: 'native' });
    expect(parsed).toMatchObject({ type: 'tool_calls', calls: [{ name: 'get_weather' }] });
  });

  test('a format holds the answer to its schema', async () => {
    const format = {
      type: 'object',
      properties: { city: { type: 'string' }, country: { type: 'string' } },
      required: ['city', 'country'],
    };
    const { message } = await ask('Name the capital of France and its country, as JSON.', { format });
    expect(JSON.parse(message.content)).toEqual({ city: expect.any(String), country: expect.any(String) });
  });

  test('a stream brings the same text as its pieces', async () => {
    let pieces = '';
    let count = 0;
    const { message } = await ask(
      'Count from 1 to 10.',
      { stream: true, options: { num_predict: 60 } },
      {
        onDelta: ({ content }) => {
          pieces += content;
          count += 1;
        },
      },
    );
    expect(count).toBeGreaterThan(3);
    expect(pieces).toBe(message.content);
  });

  test('a call that is cancelled frees the server for the next one', async () => {
    await ask('Hi', { options: { num_predict: 1 } });
    const stop = new AbortController();
    const endless = openServer().chat(
      {
        model,
        messages: [{ role: 'user', content: 'Write the numbers from 1 to 5000, one a line.' }],
        stream: true,
        options: { num_ctx: WINDOW, num_predict: 3000 },
      },
      { signal: stop.signal, onDelta: () => stop.abort() },
    );
    expect(await endless).toMatchObject({ ok: false, failure: { code: 'aborted' } });
    const startMs = performance.now();
    await ask('Hi', { options: { num_predict: 1 } });
    // The cancelled answer would have taken minutes.
    expect(performance.now() - startMs).toBeLessThan(20_000);
  });

  test('the window that is asked for is the one that is loaded', async () => {
    await ask('Hi', { options: { num_predict: 1 } });
    const loaded = await openServer().listLoaded();
    expect(loaded).toMatchObject({ ok: true });
    const own = loaded.ok ? loaded.value.find(({ name }) => name === model) : undefined;
    expect(own?.contextLength).toBe(WINDOW);
  });

  test('a prefix is kept between calls: the second prompt is read in much less time', async () => {
    const prefix = `${Date.now()}\n${LONG}`;
    const options = { num_predict: 1 };
    const first = await ask(`${prefix}\nWhat is line 4?`, { options });
    const second = await ask(`${prefix}\nWhat is line 5?`, { options });
    expect(first.tokensIn).toBeGreaterThan(800);
    expect(second.promptEvalNs).toBeLessThan(first.promptEvalNs / 3);
  });

  test('a seed gives the same answer again', async () => {
    const options = { seed: 7, temperature: 0.8, num_predict: 24 };
    const once = await ask('Invent a name for a boat.', { options });
    const again = await ask('Invent a name for a boat.', { options });
    expect(again.message.content).toBe(once.message.content);
  });

  test('an answer that is cut off at its limit says so', async () => {
    const reply = await ask('Tell a long story.', { options: { num_predict: 5 } });
    expect(reply).toMatchObject({ doneReason: 'length', tokensOut: 5 });
  });

  test('a model that is not installed is a failure with its own code', async () => {
    const outcome = await openServer().chat(
      { model: 'no-such-model:1b', messages: [{ role: 'user', content: 'Hi' }], stream: false },
      { timeoutMs: 10_000 },
    );
    expect(outcome).toMatchObject({ ok: false, failure: { code: 'model_not_found' } });
  });

  test('it tells what its models can do', async () => {
    const details = await openServer().show(model);
    expect(details).toMatchObject({
      ok: true,
      value: { capabilities: expect.arrayContaining(['completion']) },
    });
    expect(details.ok && details.value.contextLength).toBeGreaterThan(1000);
  });
});

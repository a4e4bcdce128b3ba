import { describe, expect, test } from '@jest/globals';
import { Scheduler } from '../../../sidecar/model/servers/scheduler.ts';
import { execute } from '../../support/scripted-run.ts';
import { chatsOf, say, testModel } from '../../support/scripted-model.ts';

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
    override forget(taskId: string): void {
      forgotten.push(taskId);
      super.forget(taskId);
    }
  }
  const { result } = await execute({ server, deps: { scheduler: new WatchedScheduler() } });
  expect(result.error).toContain('no such format');
  expect(forgotten).toEqual(['t1']);
});

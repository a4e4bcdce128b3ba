/** What a person said to a task whose worker process is killed before its loop took it. */
import { afterEach, expect, test } from '@jest/globals';
import { sampleRepository } from '../support/sample-repository.ts';
import { call, chatsOf, say } from '../support/scripted-model.ts';
import { startSystem, type TestSystem } from '../support/sidecar.ts';
import { killed, readyWorker } from '../support/worker-process.ts';

let system: TestSystem;
afterEach(() => system.cleanup.close());

test('is told to the model once by the worker that goes on', async () => {
  const look = { ...call('glob', { pattern: '*' }), faults: [{ kind: 'silent' as const }] };
  system = await startSystem({ turns: [look, say('Done.')] }, { maxAttempts: 3 });
  const one = await readyWorker(system, 'w1');
  const { task_id: id } = await system.client.submit({
    description: 'x',
    repo: await sampleRepository(system.dir),
  });
  await system.model.waitForRequest(({ body }) => JSON.stringify(body).includes('Task'));
  await system.api(`/api/tasks/${id}/steer`, { text: 'Use tabs.' });
  await one.wrote('A person said something to a task');
  await killed(one.child);
  const two = await readyWorker(system, 'w1');
  const ended = await system.untilEnded(id);
  expect(ended).toMatchObject({ status: 'success', result: { output: 'Done.' } });
  const said = (chatsOf(system.model).at(-1)?.messages ?? []).filter(({ content }) =>
    content.includes('Use tabs.'),
  );
  expect(said).toHaveLength(1);
  two.child.kill('SIGTERM');
  await two.ended;
}, 60_000);

import { rm } from 'node:fs/promises';
import { describe, expect, test } from '@jest/globals';
import { configSchema } from '../../sidecar/config/schema.ts';
import { OllamaExecutor } from '../../sidecar/executors/ollama-executor.ts';
import { replaySession } from '../../sidecar/executors/replay-session.ts';
import { createOllamaServer } from '../../sidecar/model/ollama-server.ts';
import { createSecretMasker } from '../../sidecar/observability/secrets.ts';
import { recordingServer } from '../../sidecar/session/recording-server.ts';
import { Session } from '../../sidecar/session/session.ts';
import { call, scenario, testModel } from '../support/scripted-model.ts';
import { tempFolders } from '../support/temp-folder.ts';

const folder = tempFolders();
const sandbox = { mode: 'off' as const };

/** The folder of a task that was ended after two answers, as its settings wanted it. */
async function recorded(): Promise<string> {
  const model = await testModel(scenario(['a', 'b', 'c'].map((path) => call('list_directory', { path }))));
  const settings = configSchema.parse({ sandbox, limits: { maxIterations: 2 } });
  const task = { task_id: 't', description: 'Look around', agentic: true };
  const opened = await Session.open({
    sessionsDir: folder(),
    taskId: 't',
    clock: { now: () => 0 },
    mask: createSecretMasker([], {}),
    task,
    settings,
  });
  if (!opened.ok) throw new Error(opened.failure.message);
  const session = opened.value;
  session.note({ model: 'm' });
  const executor = new OllamaExecutor({
    config: settings,
    createServer: () => recordingServer(createOllamaServer({ baseUrl: model.url }), session),
  });
  const result = await executor.execute(task, { model: 'm' });
  expect(result).toMatchObject({ termination_reason: 'max_iterations', iterations_used: 2 });
  session.flush();
  await model.close();
  return session.folder;
}

describe('a replay', () => {
  test('runs with the settings of then, over which those that are given go', async () => {
    const session = await recorded();
    expect(await replaySession({ folder: session })).toEqual({
      ok: true,
      value: {
        result: expect.objectContaining({ termination_reason: 'max_iterations', iterations_used: 2 }),
      },
    });
    expect(
      await replaySession({ folder: session, config: { sandbox, limits: { maxIterations: 1 } } }),
    ).toMatchObject({
      value: { result: { termination_reason: 'max_iterations', iterations_used: 1 } },
    });
  });

  test('of a folder without a task is refused', async () => {
    const empty = folder();
    await rm(empty, { recursive: true });
    expect(await replaySession({ folder: empty })).toMatchObject({
      ok: false,
      failure: { code: 'session_not_replayable', message: expect.stringContaining(empty) },
    });
  });
});

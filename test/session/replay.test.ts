import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { createOllamaServer } from '../../sidecar/model/ollama-server.ts';
import { createSecretMasker } from '../../sidecar/observability/secrets.ts';
import { recordingServer } from '../../sidecar/session/recording-server.ts';
import { replayServer } from '../../sidecar/session/replay-server.ts';
import { readRequests } from '../../sidecar/session/request-log.ts';
import { Session } from '../../sidecar/session/session.ts';
import type { ChatMessage } from '../../sidecar/model/chat.ts';
import { say, scenario, testModel } from '../support/scripted-model.ts';
import { tempFolders } from '../support/temp-folder.ts';

const folder = tempFolders();

const user = (content: string): ChatMessage => ({ role: 'user', content });

describe('a session', () => {
  test('that was recorded with a server gives its answers again without one', async () => {
    const scripted = await testModel(scenario([say('first'), say('second')]));
    const opened = await Session.open({
      sessionsDir: folder(),
      taskId: 't',
      clock: { now: () => 0 },
      mask: createSecretMasker([], {}),
    });
    if (!opened.ok) throw new Error(opened.failure.message);
    const session = opened.value;
    const server = recordingServer(createOllamaServer({ baseUrl: scripted.url }), session);
    const messages: ChatMessage[] = [user('one')];
    await server.chat({ model: 'm', messages: [], stream: false }, {});
    const first = await server.chat({ model: 'm', messages, stream: false }, {});
    messages.push({ role: 'assistant', content: 'first' }, user('two'));
    const second = await server.chat({ model: 'm', messages, stream: false }, {});
    session.flush();
    await scripted.close();

    const recorded = await readRequests(join(session.folder, 'requests.jsonl'));
    const diverged: number[] = [];
    const replay = replayServer(recorded, { onDivergence: (number) => diverged.push(number) });
    expect(await replay.chat({ model: 'm', messages: [], stream: false }, {})).toMatchObject({ ok: true });
    expect(await replay.chat({ model: 'm', messages: [user('one, later')], stream: false }, {})).toEqual(
      first,
    );
    expect(await replay.chat({ model: 'm', messages, stream: false }, {})).toEqual(second);
    expect(diverged).toEqual([]);
    expect(await replay.chat({ model: 'm', messages, stream: false }, {})).toMatchObject({
      ok: false,
      failure: { code: 'model_unreachable', retryable: false },
    });
  });

  test('that is asked something else when replayed says where', async () => {
    const answer = { ok: false as const, failure: { code: 'model_garbage', message: 'x' } };
    const exchange = { number: 7, atMs: 0, request: { model: 'm', messages: [user('a')] }, outcome: answer };
    const diverged: number[] = [];
    const replay = replayServer([exchange, exchange], { onDivergence: (number) => diverged.push(number) });
    for (let time = 0; time < 2; time++) {
      await replay.chat({ model: 'm', messages: [user('a'), user('b')], stream: false }, {});
    }
    expect(diverged).toEqual([7]);
  });

  test('is replayed without the failures that were tried again', async () => {
    const request = { model: 'm', messages: [user('a')] };
    const busy = { ok: false as const, failure: { code: 'model_busy', message: 'x', retryable: true } };
    const garbage = { ok: false as const, failure: { code: 'model_garbage', message: 'x' } };
    const replay = replayServer([
      { number: 1, atMs: 0, request, outcome: busy },
      { number: 2, atMs: 0, request, outcome: garbage },
    ]);
    expect(await replay.chat({ ...request, stream: false }, {})).toEqual(garbage);
  });
});

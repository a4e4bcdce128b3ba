import { appendFile, mkdir, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from '@jest/globals';
import type { ChatOutcome, ModelServer } from '../../../sidecar/model/chat.ts';
import type { Logger } from '../../../sidecar/base/ports.ts';
import { silentLogger } from '../../../sidecar/base/observability/silent-logger.ts';
import { createSecretMasker } from '../../../sidecar/base/observability/secrets.ts';
import { parseChatLog } from '../../../sidecar/solving/session/chat-log.ts';
import { readInput } from '../../../sidecar/solving/session/recorded-input.ts';
import { createReplayServer } from '../../../sidecar/solving/session/recorded-models.ts';
import { readRequests } from '../../../sidecar/solving/session/request-log.ts';
import { listSessions, pruneSessions } from '../../../sidecar/solving/session/session-store.ts';
import { Session, type SessionOptions } from '../../../sidecar/solving/session/session.ts';
import { tempFolders } from '../../support/temp-folder.ts';

describe('session', () => {
  const folder = tempFolders();
  let sessionsDir: string;
  let nowMs: number;
  beforeEach(() => {
    sessionsDir = join(folder(), 'data', 'sessions');
    nowMs = Date.parse('2026-01-07T10:23:21.000Z');
  });

  const mask = createSecretMasker(['hunter2-hunter2'], {});
  async function open(changes: Partial<SessionOptions> = {}): Promise<Session> {
    const options = { sessionsDir, taskId: 't-1', clock: { now: () => nowMs }, mask, ...changes };
    const session = await Session.open(options);
    if (!session.ok) throw new Error(session.failure.message);
    return session.value;
  }
  const request = {
    model: 'm',
    messages: [{ role: 'user' as const, content: 'use hunter2-hunter2' }],
    stream: false,
  };
  const refused = { ok: false as const, failure: { code: 'model_busy', message: 'busy' } };
  /** Asks a model that gives this answer. */
  const ask = (session: Session, outcome: ChatOutcome = refused) => {
    const chat = () => Promise.resolve(outcome);
    return session.record({ chat } as unknown as ModelServer).chat(request, {});
  };
  const end = {
    status: 'success' as const,
    termination_reason: 'final_answer' as const,
    tokens_in: 10,
    tokens_out: 2,
    model_used: 'm',
  };

  describe('a session', () => {
    test('is a folder named by its start, with what was said and asked', async () => {
      const session = await open();
      session.observer.recordMessage('USER', 'Fix it.\nNow.');
      session.observer.recordToolCall('read_file', { file_path: 'a' });
      expect(await ask(session)).toEqual(refused);
      session.observer.recordRoundEnd();

      expect(await readdir(sessionsDir)).toEqual(['2026-01-07T10:23:21.000Z']);
      const log = await readFile(join(session.folder, 'chat_history.log'), 'utf8');
      expect(parseChatLog(log).map(({ type, text }) => [type, text])).toEqual([
        ['USER', 'Fix it.\nNow.'],
        ['TOOL_CALL', 'read_file({"file_path":"a"})'],
      ]);
      const [exchange] = await readRequests(join(session.folder, 'requests.jsonl'));
      expect(exchange?.outcome).toEqual(refused);
    });

    test('tells in session.json how it began and how it ended', async () => {
      const session = await open();
      const info = async () =>
        JSON.parse(await readFile(join(session.folder, 'session.json'), 'utf8')) as unknown;
      expect(await info()).toMatchObject({ task_id: 't-1', status: 'running', end: null });
      nowMs += 5_000;
      await session.end(end);
      expect(await info()).toEqual({
        id: '2026-01-07T10:23:21.000Z',
        task_id: 't-1',
        start: '2026-01-07T10:23:21.000Z',
        end: '2026-01-07T10:23:26.000Z',
        model: 'm',
        status: 'success',
        termination_reason: 'final_answer',
        tokens_in: 10,
        tokens_out: 2,
      });
    });

    test('ends with the input of its task, without secrets, for a replay', async () => {
      const entry = { kind: 'answer' as const, stage: 'run', round: 1 };
      const session = await open({ input: () => [{ ...entry, body: 'use hunter2-hunter2' }] });
      await session.end(end);
      await appendFile(join(session.folder, 'input.jsonl'), '{"kind":"ans');
      expect(await readInput(session.folder)).toEqual([{ ...entry, body: 'use ****' }]);
      await rm(join(session.folder, 'input.jsonl'));
      expect(await readInput(session.folder)).toEqual([]);
    });

    test('has a server for its replay that has its models and answers nothing', async () => {
      const { signal } = new AbortController();
      const server = createReplayServer([
        { number: 1, atMs: 0, request: { ...request, options: { num_ctx: 99 } } },
      ]);
      expect(await server.list(signal)).toMatchObject({ value: [{ name: 'm' }] });
      expect(await server.show('m', signal)).toMatchObject({ value: { contextLength: 99 } });
      expect(await server.chat({ ...request, messages: [] }, {})).toMatchObject({ ok: true });
      expect(await server.chat(request, {})).toMatchObject({
        failure: { code: 'model_unreachable', retryable: false },
      });
    });

    test('has a folder of its own among many that begin in one millisecond', async () => {
      const sessions = await Promise.all(Array.from({ length: 20 }, () => open()));
      expect(new Set(sessions.map(({ folder }) => folder)).size).toBe(20);
    });

    test('masks secrets in everything that it writes', async () => {
      const session = await open();
      session.observer.recordMessage('AGENT', 'the token is hunter2-hunter2');
      session.observer.recordToolCall('shell', { command: 'echo "hunter2-hunter2"' });
      await ask(session, { ok: false, failure: { code: 'x', message: 'hunter2-hunter2' } });
      await session.end(end);
      for (const name of await readdir(session.folder)) {
        expect(await readFile(join(session.folder, name), 'utf8')).not.toContain('hunter2-hunter2');
      }
    });

    test('gathers small writes and keeps their order', async () => {
      const session = await open();
      const texts = Array.from({ length: 5_000 }, (_, index) => `token ${index} ${'x'.repeat(index % 200)}`);
      for (const text of texts) session.observer.recordMessage('AGENT', text);
      session.observer.recordRoundEnd();
      const log = await readFile(join(session.folder, 'chat_history.log'), 'utf8');
      expect(parseChatLog(log).map(({ text }) => text)).toEqual(texts);
    });

    test('is gone on with after a kill', async () => {
      const first = await open();
      await ask(first);
      first.observer.recordRoundEnd();
      nowMs += 60_000;
      const id = (await listSessions(sessionsDir)).find(({ task_id }) => task_id === 't-1')?.id;
      const second = await open({ resume: id });
      expect(second.folder).toBe(first.folder);
      await ask(second);
      await second.end(end);
      const recorded = await readRequests(join(second.folder, 'requests.jsonl'));
      expect(recorded.map(({ number }) => number)).toEqual([1, 2]);
      expect(await listSessions(sessionsDir)).toMatchObject([
        { start: '2026-01-07T10:23:21.000Z', status: 'success' },
      ]);
    });

    test('that was cut off in the middle of a line goes on with a line of its own, and says all of it again', async () => {
      const first = await open();
      await ask(first);
      first.observer.recordMessage('USER', 'whole');
      first.observer.recordRoundEnd();
      await appendFile(join(first.folder, 'requests.jsonl'), '{"type":"ans');
      await appendFile(join(first.folder, 'chat_history.log'), '[2026-01-07T10:2');
      const second = await open({ resume: first.id });
      await ask(second);
      second.observer.recordMessage('USER', 'next');
      second.observer.recordRoundEnd();
      expect(await readRequests(join(first.folder, 'requests.jsonl'))).toHaveLength(2);
      const log = parseChatLog(await readFile(join(first.folder, 'chat_history.log'), 'utf8'));
      expect(log.map(({ text }) => text.split('\n')[0])).toEqual(['next']);
    });

    test('tells a disk that fails, once, and does not throw into the work', async () => {
      const codes: unknown[] = [];
      const warn: Logger['warn'] = (fields) => void ('code' in fields && codes.push(fields.code));
      const session = await open({ logger: { ...silentLogger, warn } });
      await rm(session.folder, { recursive: true });
      session.observer.recordMessage('AGENT', 'lost');
      session.observer.recordRoundEnd();
      await session.end(end);
      expect(codes).toEqual(['session_not_written']);
    });

    test('cannot begin where its folder cannot be made, and says so', async () => {
      await mkdir(join(sessionsDir, '..'), { recursive: true });
      await writeFile(sessionsDir, 'a file');
      const options = { sessionsDir, taskId: 't', clock: { now: () => nowMs }, mask };
      expect(await Session.open(options)).toMatchObject({
        ok: false,
        failure: { code: 'session_not_written' },
      });
    });
  });

  describe('the sessions folder', () => {
    const DAY_MS = 86_400_000;
    async function sessionAt(daysAgo: number, bytes: number): Promise<string> {
      const now = nowMs;
      nowMs = now - daysAgo * DAY_MS;
      const session = await open({ taskId: `t${daysAgo}` });
      await writeFile(join(session.folder, 'chat_history.log'), 'x'.repeat(bytes));
      nowMs = now;
      return session.id;
    }

    test('lists sessions newest first, the broken ones too', async () => {
      const old = await sessionAt(3, 0);
      const fresh = await sessionAt(1, 0);
      await writeFile(join(sessionsDir, old, 'session.json'), '{');
      expect((await listSessions(sessionsDir)).map(({ id, status }) => [id, status])).toEqual([
        [fresh, 'running'],
        [old, 'unknown'],
      ]);
      expect(await listSessions(join(sessionsDir, 'none'))).toEqual([]);
    });

    test('loses sessions that are too old, but none that is being written', async () => {
      const [ancient, active, fresh] = [
        await sessionAt(50, 10),
        await sessionAt(40, 10),
        await sessionAt(1, 10),
      ];
      const limits = {
        maxAgeMs: 30 * DAY_MS,
        maxCount: 100,
        maxBytes: 1e9,
        nowMs,
        active: new Set([active]),
      };
      expect(await pruneSessions(sessionsDir, limits)).toEqual([ancient]);
      expect((await listSessions(sessionsDir)).map(({ id }) => id)).toEqual([fresh, active]);
    });

    test('loses the oldest until the rest fit', async () => {
      const [a, b, c] = [await sessionAt(3, 500), await sessionAt(2, 60_000), await sessionAt(1, 60_000)];
      expect(
        await pruneSessions(sessionsDir, { maxAgeMs: 30 * DAY_MS, maxCount: 100, maxBytes: 100_000, nowMs }),
      ).toEqual([b, a]);
      expect((await listSessions(sessionsDir)).map(({ id }) => id)).toEqual([c]);
    });

    test('loses the oldest of too many', async () => {
      const [a, b, c] = [await sessionAt(3, 5), await sessionAt(2, 5), await sessionAt(1, 5)];
      const limits = { maxAgeMs: 30 * DAY_MS, maxCount: 1, maxBytes: 1e9, nowMs };
      expect(await pruneSessions(sessionsDir, { ...limits, active: new Set([a]) })).toEqual([b]);
      expect((await listSessions(sessionsDir)).map(({ id }) => id)).toEqual([c, a]);
    });

    test('never touches what is not named like a session, nor follows links', async () => {
      await sessionAt(100, 10);
      await mkdir(join(sessionsDir, 'notes'));
      await symlink(tmpdir(), join(sessionsDir, '2020-01-01T00:00:00.000Z'));
      await pruneSessions(sessionsDir, { maxAgeMs: DAY_MS, maxCount: 100, maxBytes: 0, nowMs });
      expect((await readdir(sessionsDir)).sort()).toEqual(['2020-01-01T00:00:00.000Z', 'notes']);
    });
  });
});

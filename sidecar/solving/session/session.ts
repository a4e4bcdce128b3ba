/**
 * The folder that every task leaves: the task, all messages, all requests. Each folder has one writer. Secrets are masked before each
 * write. Writes neither throw nor block the task; `flush` at the end of each round writes to disk.
 */
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { errorCode, errorMessage } from '../../base/values/errors.ts';
import { makeFolder } from '../../base/system/make-folder.ts';
import { replaceChat } from '../../model/with-chat.ts';
import type { TaskResult } from '../../base/protocol/result.ts';
import type { Clock, Logger, TaskJournal } from '../../base/ports.ts';
import { AppendFile } from './append-file.ts';
import { formatEntry, formatToolCall, type ChatType } from './chat-log.ts';
import { writeRecorded } from './recorded-journal.ts';
import { RequestDeltas, readRequests } from './request-log.ts';
import { readInfo, sessionInfoSchema, writeInfo, type SessionInfo } from './session-info.ts';
import { type Failure, type Outcome, success } from '../../base/values/outcome.ts';
import type { ModelServer } from '../../model/chat.ts';
import type { RunObserver, RunSession } from '../run-ports.ts';

export const CHAT_LOG = 'chat_history.log';
export const REQUEST_LOG = 'requests.jsonl';
const PLAN_FILE = 'plan_doc.md';
/** Maximum number of tasks that begin in the same millisecond. */
const MAX_SAME_START = 1_000;

/** Masks secrets; implemented by `SecretMasker` of observability. */
export interface Mask {
  mask(text: string): string;
  maskDeep<T>(value: T): T;
}

export interface SessionOptions {
  /** `<data>/sessions`; created if missing. */
  sessionsDir: string;
  taskId: string;
  clock: Pick<Clock, 'now'>;
  mask: Mask;
  logger?: Logger;
  /** Written to `session.json`, masked, for a replay of the session. */
  task?: Record<string, unknown>;
  settings?: Record<string, unknown>;
  /** Read at the end of the task, for a replay of the session. */
  journal?: Pick<TaskJournal, 'read'>;
  /** Id of the session to continue after the worker was killed. */
  resume?: string;
}

/** Fields of a result that are recorded. */
type SessionEnd = Pick<
  TaskResult,
  'status' | 'termination_reason' | 'tokens_in' | 'tokens_out' | 'model_used'
>;

export class Session implements RunSession {
  readonly folder: string;
  readonly observer: RunObserver = {
    said: (type, text) => this.#log(type, text),
    toolCall: (name, args) => this.#log('TOOL_CALL', formatToolCall(name, this.maskDeep(args))),
    toolResult: (name, fullOutput) => this.#log('TOOL_RESULT', `${name}: ${fullOutput}`),
    roundEnded: () => this.#flush(),
  };
  readonly #options: SessionOptions;
  readonly #chat: AppendFile;
  readonly #requests: AppendFile;
  readonly #deltas: RequestDeltas;
  #info: SessionInfo;
  #infoWriting: Promise<Failure | undefined> = Promise.resolve(undefined);

  private constructor(options: SessionOptions, info: SessionInfo, pastRequests: number) {
    this.folder = join(options.sessionsDir, info.id);
    this.#options = options;
    this.#info = info;
    // A resumed task logs all messages again.
    this.#chat = new AppendFile(join(this.folder, CHAT_LOG), options.logger, true);
    this.#requests = new AppendFile(join(this.folder, REQUEST_LOG), options.logger);
    this.#deltas = new RequestDeltas(pastRequests);
  }

  /** Opens a new folder, or the one to continue. Fails with `session_not_written` on a disk error; never rejects. */
  static async open(options: SessionOptions): Promise<Outcome<Session>> {
    try {
      const { info, pastRequests } = await startOrResume(options);
      const session = new Session(options, info, pastRequests);
      await writeInfo(session.folder, info);
      return success(session);
    } catch (error) {
      return { ok: false, failure: notWritten(options.sessionsDir, error) };
    }
  }

  get id(): string {
    return this.#info.id;
  }

  get planFile(): string {
    return join(this.folder, PLAN_FILE);
  }

  maskDeep<T>(value: T): T {
    return this.#options.mask.maskDeep(value);
  }

  /** Returns the server with its calls recorded, including retries. Requests that only load the model are not recorded. */
  record(server: ModelServer): ModelServer {
    return replaceChat(server, async (request, call) => {
      if (request.messages.length === 0) return server.chat(request, call);
      const { number, line } = this.#deltas.request(request, this.#options.clock.now());
      this.#writeRequest(line);
      const outcome = await server.chat(request, call);
      this.#writeRequest({ type: 'answer', number, outcome });
      return outcome;
    });
  }

  /** Adds facts to `session.json` that were unknown at the start, in the background. */
  note({ model, baseCommit }: { model?: string; baseCommit?: string }): void {
    void this.#writeInfo({
      ...(model !== undefined && { model }),
      ...(baseCommit !== undefined && { base_commit: baseCommit }),
    });
  }

  async end(result?: SessionEnd): Promise<void> {
    const lost = this.#flush() ?? (await this.#recordJournal());
    const written = result && (await this.#writeEnd(result));
    const failure = lost ?? written;
    if (failure) this.#options.logger?.warn({ code: failure.code }, failure.message);
  }

  async #recordJournal(): Promise<Failure | undefined> {
    const entries = this.#options.journal?.read() ?? [];
    return writeRecorded(this.folder, this.maskDeep(entries)).then(
      () => undefined,
      (error: unknown) => notWritten(this.folder, error),
    );
  }

  #writeEnd(result: SessionEnd): Promise<Failure | undefined> {
    return this.#writeInfo({
      end: new Date(this.#options.clock.now()).toISOString(),
      // The last attempt may use another model than the first.
      ...(result.model_used && { model: result.model_used }),
      // A task that a user cancelled is not a failure.
      status: result.termination_reason === 'cancelled' ? 'cancelled' : result.status,
      termination_reason: result.termination_reason,
      tokens_in: result.tokens_in,
      tokens_out: result.tokens_out,
    });
  }

  /** Writes an entry to `chat_history.log`. */
  #log(type: ChatType, text: string): void {
    const { clock, mask } = this.#options;
    this.#chat.write(formatEntry({ atMs: clock.now(), type, text: mask.mask(text) }));
  }

  #writeRequest(line: object): void {
    this.#requests.write(`${JSON.stringify(this.maskDeep(line))}\n`);
  }

  /** Flushes both logs to disk; returns the first failure. */
  #flush(): Failure | undefined {
    const [chat, requests] = [this.#chat.flush(), this.#requests.flush()];
    return chat ?? requests;
  }

  /** Writes `session.json` after earlier writes, so the newest state wins. */
  #writeInfo(changes: Partial<SessionInfo>): Promise<Failure | undefined> {
    this.#info = { ...this.#info, ...changes };
    const info = this.#info;
    this.#infoWriting = this.#infoWriting
      .then(() => writeInfo(this.folder, info))
      .then(
        () => undefined,
        (error: unknown) => notWritten(this.folder, error),
      );
    return this.#infoWriting;
  }
}

const notWritten = (path: string, error: unknown): Failure => ({
  code: 'session_not_written',
  message: `Cannot write the session in ${path}: ${errorMessage(error)}`,
});

async function startOrResume(options: SessionOptions): Promise<{ info: SessionInfo; pastRequests: number }> {
  const { sessionsDir, resume } = options;
  const past = resume === undefined ? undefined : await readInfo(join(sessionsDir, resume));
  if (resume !== undefined && past) {
    const requests = await readRequests(join(sessionsDir, resume, REQUEST_LOG));
    const info = { ...past, id: resume, end: null, status: 'running', termination_reason: null };
    return { info, pastRequests: requests.at(-1)?.number ?? 0 };
  }
  const { taskId, task, settings, mask, clock } = options;
  const start = new Date(clock.now()).toISOString();
  const info = sessionInfoSchema.parse({
    id: await makeSessionFolder(sessionsDir, start),
    task_id: taskId,
    start,
    status: 'running',
    task: mask.maskDeep(task),
    settings: mask.maskDeep(settings),
  });
  return { info, pastRequests: 0 };
}

/**
 * Creates a folder named by the start time; further ones of the same millisecond get `-2`, `-3`. Creation is atomic, so two workers never
 * share a folder.
 */
async function makeSessionFolder(sessionsDir: string, start: string): Promise<string> {
  makeFolder(sessionsDir);
  for (let attempt = 1; attempt <= MAX_SAME_START; attempt++) {
    const id = attempt === 1 ? start : `${start}-${attempt}`;
    try {
      await mkdir(join(sessionsDir, id), { mode: 0o700 });
      return id;
    } catch (error) {
      if (errorCode(error) !== 'EEXIST') throw error;
    }
  }
  throw new Error(`${MAX_SAME_START} sessions began at ${start}`);
}

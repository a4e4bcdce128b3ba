/**
 * Writes the folder of a session: the task, all messages, all requests. Each folder has one writer. Secrets are masked before each write.
 * Writes neither throw nor block the task; `flush` writes to disk at the end of each round.
 */
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { errorCode, errorMessage } from '../../base/values/errors.ts';
import { makeFolder } from '../../base/system/make-folder.ts';
import { replaceChat } from '../../model/replace-chat.ts';
import type { TaskResult } from '../../base/protocol/result.ts';
import type { Clock, Logger } from '../../base/ports.ts';
import { AppendFile } from './append-file.ts';
import { formatEntry, formatToolCall, type ChatType } from './chat-log.ts';
import { writeInput, type RecordedInput } from './recorded-input.ts';
import { RequestDeltas, readRequests } from './request-log.ts';
import { readInfo, sessionInfoSchema, writeInfo, type SessionInfo } from './session-info.ts';
import { type Failure, type Outcome, success } from '../../base/values/outcome.ts';
import type { ModelServer } from '../../model/chat.ts';
import type { RunObserver, RunSession } from '../run-ports.ts';

export const CHAT_LOG = 'chat_history.log';
export const REQUEST_LOG = 'requests.jsonl';
const PLAN_FILE = 'plan_doc.md';
/** Maximum number of sessions that start in the same millisecond. */
const MAX_SESSIONS_PER_START = 1_000;

/** Masker of secrets, implemented by `SecretMasker` of the room `observability`. */
export interface Masker {
  mask(text: string): string;
  maskDeep<T>(value: T): T;
}

export interface SessionOptions {
  /** Folder of all sessions (`<data>/sessions`); created if missing. */
  sessionsDir: string;
  taskId: string;
  clock: Pick<Clock, 'now'>;
  mask: Masker;
  logger?: Logger;
  /** The task, written to `session.json` with secrets masked, for a replay of the session. */
  task?: Record<string, unknown>;
  settings?: Record<string, unknown>;
  /** Returns the recorded input of the task. Called when the task ends; the input is written for a replay of the session. */
  input?: () => readonly RecordedInput[];
  /** Id of the session that continues after the worker was killed. */
  resume?: string;
}

/** Fields of a result that the session records. */
type RecordedResult = Pick<
  TaskResult,
  'status' | 'termination_reason' | 'tokens_in' | 'tokens_out' | 'model_used'
>;

export class Session implements RunSession {
  readonly folder: string;
  readonly observer: RunObserver = {
    recordMessage: (type, text) => this.#log(type, text),
    recordToolCall: (name, args) => this.#log('TOOL_CALL', formatToolCall(name, this.maskDeep(args))),
    recordToolResult: (name, fullOutput) => this.#log('TOOL_RESULT', `${name}: ${fullOutput}`),
    recordRoundEnd: () => this.#flush(),
  };
  readonly #options: SessionOptions;
  readonly #chat: AppendFile;
  readonly #requests: AppendFile;
  readonly #deltas: RequestDeltas;
  #info: SessionInfo;
  #lastInfoWrite: Promise<Failure | undefined> = Promise.resolve(undefined);

  private constructor(options: SessionOptions, info: SessionInfo, pastRequests: number) {
    this.folder = join(options.sessionsDir, info.id);
    this.#options = options;
    this.#info = info;
    // A resumed task logs all of its messages again.
    this.#chat = new AppendFile(join(this.folder, CHAT_LOG), options.logger, true);
    this.#requests = new AppendFile(join(this.folder, REQUEST_LOG), options.logger);
    this.#deltas = new RequestDeltas(pastRequests);
  }

  /** Opens a new folder, or the folder of the session to continue. Fails with `session_not_written` on a disk error. Never rejects. */
  static async open(options: SessionOptions): Promise<Outcome<Session>> {
    try {
      const { info, pastRequests } = await startOrResume(options);
      const session = new Session(options, info, pastRequests);
      await writeInfo(session.folder, info);
      return success(session);
    } catch (error) {
      return { ok: false, failure: createNotWrittenFailure(options.sessionsDir, error) };
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

  /** Wraps a server so that its calls, including retries, are recorded. Requests that only load the model are not recorded. */
  record(server: ModelServer): ModelServer {
    return replaceChat(server, async (request, call) => {
      if (request.messages.length === 0) return server.chat(request, call);
      const { number, line } = this.#deltas.toLine(request, this.#options.clock.now());
      this.#writeRequest(line);
      const outcome = await server.chat(request, call);
      this.#writeRequest({ type: 'answer', number, outcome });
      return outcome;
    });
  }

  /** Adds facts to `session.json` that were unknown at the start. Writes in the background. */
  recordFacts({ model, baseCommit }: { model?: string; baseCommit?: string }): void {
    void this.#writeInfo({
      ...(model !== undefined && { model }),
      ...(baseCommit !== undefined && { base_commit: baseCommit }),
    });
  }

  async end(result?: RecordedResult): Promise<void> {
    const logFailure = this.#flush() ?? (await this.#recordInput());
    const infoFailure = result && (await this.#writeEnd(result));
    const failure = logFailure ?? infoFailure;
    if (failure) this.#options.logger?.warn({ code: failure.code }, failure.message);
  }

  async #recordInput(): Promise<Failure | undefined> {
    const input = this.#options.input?.() ?? [];
    return writeInput(this.folder, this.maskDeep(input)).then(
      () => undefined,
      (error: unknown) => createNotWrittenFailure(this.folder, error),
    );
  }

  #writeEnd(result: RecordedResult): Promise<Failure | undefined> {
    return this.#writeInfo({
      end: new Date(this.#options.clock.now()).toISOString(),
      // The last attempt may use another model than the first one.
      ...(result.model_used && { model: result.model_used }),
      // The cancellation by a user is not a failure.
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

  /** Flushes both logs to disk. Returns the first failure, if any. */
  #flush(): Failure | undefined {
    const [chat, requests] = [this.#chat.flush(), this.#requests.flush()];
    return chat ?? requests;
  }

  /** Writes `session.json` after the earlier writes, so that the newest state remains. */
  #writeInfo(changes: Partial<SessionInfo>): Promise<Failure | undefined> {
    this.#info = { ...this.#info, ...changes };
    const info = this.#info;
    this.#lastInfoWrite = this.#lastInfoWrite
      .then(() => writeInfo(this.folder, info))
      .then(
        () => undefined,
        (error: unknown) => createNotWrittenFailure(this.folder, error),
      );
    return this.#lastInfoWrite;
  }
}

const createNotWrittenFailure = (path: string, error: unknown): Failure => ({
  code: 'session_not_written',
  message: `Cannot write the session in ${path}: ${errorMessage(error)}`,
});

async function startOrResume(options: SessionOptions): Promise<{ info: SessionInfo; pastRequests: number }> {
  const { sessionsDir, resume } = options;
  const earlierInfo = resume === undefined ? undefined : await readInfo(join(sessionsDir, resume));
  if (resume !== undefined && earlierInfo) {
    const requests = await readRequests(join(sessionsDir, resume, REQUEST_LOG));
    const info = { ...earlierInfo, id: resume, end: null, status: 'running', termination_reason: null };
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
 * Creates a folder that is named by the start time. Further folders of the same millisecond get the suffix `-2`, `-3`. Creation is atomic,
 * so two workers never share a folder.
 */
async function makeSessionFolder(sessionsDir: string, start: string): Promise<string> {
  makeFolder(sessionsDir);
  for (let attempt = 1; attempt <= MAX_SESSIONS_PER_START; attempt++) {
    const id = attempt === 1 ? start : `${start}-${attempt}`;
    try {
      await mkdir(join(sessionsDir, id), { mode: 0o700 });
      return id;
    } catch (error) {
      if (errorCode(error) !== 'EEXIST') throw error;
    }
  }
  throw new Error(`No session folder could be created: ${MAX_SESSIONS_PER_START} sessions began at ${start}`);
}

/**
 * The ports: every place where the work meets something outside of it. Rooms depend on these interfaces,
 * never on each other's implementations; `worker/` and `cli/` put the real ones together and tests put in
 * real small servers, an injected clock or memory stores.
 * Expected failure is data: none of these reject or throw for one, unless the type says so.
 */
import type { ChatOutcome, ChatRequest, InstalledModel, LoadedModel, ModelDetails } from './model/chat.ts';
import type { Changes, TaskResult } from './protocol/result.ts';
import type { ExecutionEvent } from './protocol/events.ts';
import type { Task } from './protocol/task.ts';
import type { ToolCallResult } from './tools/types.ts';

/** Time, injected so that tests of minutes take milliseconds. */
export interface Clock {
  /** Milliseconds since the epoch. */
  now(): number;
  /** Milliseconds that only go forward; for durations. */
  monotonicMs(): number;
  /** Runs `run` once after `delayMs`; the returned function cancels it and may be called twice. */
  schedule(delayMs: number, run: () => void): () => void;
}

/** The part of pino that rooms use. Never throws. */
export interface Logger {
  debug(fields: object, message: string): void;
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
  child(fields: object): Logger;
}

/** Where a run tells what it does. Never throws, never blocks. */
export type OnProgress = (event: ExecutionEvent) => void;

/** One Ollama server, used by one task: `abort` ends all that this instance has under way. */
export interface ModelServer {
  /** One answer. With `request.stream` the deltas go to `onDelta` first; the outcome is the whole answer either way. */
  chat(request: ChatRequest, call: ChatCall): Promise<ChatOutcome>;
  /** `/api/show`: capabilities, trained context length; a failure is an outcome with `ok: false`. */
  show(model: string, signal?: AbortSignal): Promise<Outcome<ModelDetails>>;
  /** `/api/tags`: what is installed. */
  list(signal?: AbortSignal): Promise<Outcome<InstalledModel[]>>;
  /** `/api/ps`: what is loaded, with the window really loaded. */
  loaded(signal?: AbortSignal): Promise<Outcome<LoadedModel[]>>;
  /** `/api/pull` with progress in percent (0 to 100). */
  pull(
    model: string,
    call: { signal?: AbortSignal; onPercent?: (percent: number) => void },
  ): Promise<Outcome<true>>;
  version(signal?: AbortSignal): Promise<Outcome<string>>;
  abort(): void;
}

export interface ChatCall {
  signal?: AbortSignal;
  /** Whole call without streaming. */
  timeoutMs?: number;
  /** Streams have these two instead of `timeoutMs`. */
  firstTokenTimeoutMs?: number;
  betweenTokensTimeoutMs?: number;
  /** The call waits for a slot of the server, and no time-out runs; it has got one. Must not throw. */
  onSlot?: (state: 'waiting' | 'given') => void;
  onDelta?: (delta: { content: string; thinking: string }) => void;
  /** Ends an answer that streams; asked with all whole lines so far, after each new one. */
  endOf?: EndOfAnswer;
  /** An estimate: the server gives no counts for an answer that `endOf` ended. */
  promptTokens?: number;
}

/** The wanted part of an answer, once nothing more of it is wanted; undefined while it may go on. */
export type EndOfAnswer = (content: string) => string | undefined;

/** Success or expected failure, in one shape. */
export type Outcome<T, F = Failure> = { ok: true; value: T } | { ok: false; failure: F };

/** An expected failure. `code` is stable and listed in docs/ERRORS.md; `message` says what to do. */
export interface Failure {
  code: string;
  message: string;
  /** Worth trying again as it is. */
  retryable?: boolean;
}

/** The operations of a tool on a workspace. Paths are relative to it or inside it. */
export interface ExecutionEnvironment {
  readonly workingDirectory: string;
  readonly platform: NodeJS.Platform;
  initialize(): Promise<void>;
  cleanup(): Promise<void>;
  /** Rejects with `EnvironmentError` (code, message), as all methods here do; the dispatcher turns it into a result. */
  readFile(path: string, range?: { offset?: number; limit?: number }): Promise<FileText>;
  /** In the encoding and with the mode of the file that it replaces; a new one is as the file `like`, where one is named. */
  writeFile(path: string, content: string, like?: string): Promise<{ created: boolean; sizeBytes: number }>;
  /** The first half of `writeFile`, for writes that must all succeed; an environment may go without it. */
  stageWrite?(path: string, content: string, like?: string): Promise<StagedWrite>;
  deleteFile(path: string): Promise<void>;
  fileExists(path: string): Promise<boolean>;
  stat(path: string): Promise<FileStat>;
  listDirectory(
    path: string,
    options?: { recursive?: boolean; pattern?: string; signal?: AbortSignal },
  ): Promise<DirectoryListing>;
  execCommand(command: string, options?: ExecOptions): Promise<ExecResult>;
  /** As `execCommand` for a program and its arguments, which no shell reads; an environment may go without it. */
  execProgram?(argv: readonly string[], options?: ExecOptions): Promise<ExecResult>;
  /** Starts a program that is spoken to while it runs, until `cleanup` at the latest; an environment may go without it. */
  startProgram?(argv: readonly string[], options: ProgramOptions): Promise<RunningProgram>;
  grep(pattern: string, options?: GrepOptions): Promise<GrepResult>;
  glob(
    pattern: string,
    options?: { path?: string; maxResults?: number; signal?: AbortSignal },
  ): Promise<string[]>;
  /** Whether commands are confined, and if not, why; an environment that cannot tell goes without it. */
  sandboxStatus?(): Promise<{ sandboxed: true } | { sandboxed: false; reason: string }>;
  /**
   * The same environment for another tree, a copy of this one, with the dependencies of this one; an environment may go
   * without it. Rejects as all methods do.
   */
  at?(tree: CopiedTree): Promise<ExecutionEnvironment>;
}

export interface CopiedTree {
  dir: string;
  gitDirs: readonly string[];
  /** Called with a path of the copy before a file tool puts a file there. */
  onWrite?: (path: string) => Promise<void>;
  /** The folder for caches of tools that later runs are to find. Default: in the copy's own home, which goes with it. */
  cacheDir?: string;
}

/** Lines of a text file. Without a range: the whole file, with `text` exactly as on disk (BOM kept). */
export interface FileText {
  text: string;
  /** First line of `text`, from 1. */
  firstLine: number;
  /** Lines in `text`. */
  lineCount: number;
  /** Lines in the file; unknown (undefined) when reading stopped before its end. */
  totalLines?: number;
  sizeBytes: number;
  /** Where it is not UTF-8. Windows-1252 is a guess: each byte is a character, and what stays is written as it was. */
  encoding?: 'UTF-16LE' | 'UTF-16BE' | 'Windows-1252';
}
/** A write that is checked and on disk beside its target. Either function is called, once. */
export interface StagedWrite {
  created: boolean;
  sizeBytes: number;
  commit(): Promise<void>;
  discard(): Promise<void>;
}
export interface FileStat {
  type: 'file' | 'directory' | 'symlink' | 'other';
  sizeBytes: number;
  modifiedMs: number;
  mode: number;
}
export interface DirectoryListing {
  entries: { path: string; type: FileStat['type']; sizeBytes: number }[];
  /** Entries that were left out because of the limit. */
  omitted: number;
}
export interface ExecOptions {
  timeoutMs?: number;
  cwd?: string;
  signal?: AbortSignal;
  /** Text as it arrives; never throws into the run. */
  onOutput?: (chunk: { stream: 'stdout' | 'stderr'; text: string }) => void;
  /** The caller has judged the command, or a person has: the deny list is not asked again. The sandbox holds all the same. */
  vetted?: boolean;
  /** Words that are added to variables of the command. */
  extend?: Readonly<Record<string, string>>;
  /** Only for the operator's own commands (`workspace.prepare`): the network, which a task never gets by itself. */
  network?: boolean;
}
export interface ProgramOptions extends Pick<ExecOptions, 'cwd' | 'network'> {
  /** Hears its output as it comes; must not throw. */
  onStdout: (chunk: Buffer) => void;
  /** Variables that it gets besides those of every command; only the operator's own. */
  variables?: Readonly<Record<string, string>>;
}
/** A program with an open stdin. Of its output a few KiB are kept for the result. */
export interface RunningProgram {
  /** Writes to its stdin; of a program that has ended nothing comes of it. Never throws. */
  write(text: string): void;
  /** How it ended. Rejects with `EnvironmentError` where it could not be started. */
  readonly ended: Promise<ExecResult>;
  /** Ends it and all that it started; resolves when nothing of it is left. May be called twice; never rejects. */
  stop(): Promise<void>;
}
export interface ExecResult {
  stdout: string;
  stderr: string;
  /** stdout and stderr in the order they came. */
  output: string;
  /** Null when a signal ended it. */
  exitCode: number | null;
  signal: NodeJS.Signals | null;
  timedOut: boolean;
  aborted: boolean;
  durationMs: number;
  /** Bytes dropped from the middle past the limit. */
  droppedBytes: number;
  sandboxed: boolean;
  /** Which of the sandbox's limits ended it. */
  stopped?: string;
}
export interface GrepOptions {
  path?: string;
  include?: string;
  caseSensitive?: boolean;
  maxResults?: number;
  signal?: AbortSignal;
}
export interface GrepResult {
  matches: { path: string; line: number; text: string }[];
  truncated: boolean;
}

/** The folder a task works in, with its history: a git worktree, a caller's folder or an empty scratch one. */
export interface TaskWorkspace {
  readonly dir: string;
  readonly repo?: string;
  readonly branch?: string;
  readonly baseCommit?: string;
  /**
   * Differs exactly when the content of tracked or untracked files differs; used to see whether a round changed anything.
   * A comparison that fails counts as a change; never rejects.
   */
  fingerprint(): Promise<string>;
  /**
   * Commits what is there (hooks off) and tells what changed since the base. Safe to call twice.
   * Rejects with `WorkspaceError` (code, message) when git or the disk fails.
   */
  commit(message: string): Promise<Changes>;
  /** Makes the branch available to the repository's owner and removes the worktree, or keeps it where needed. */
  release(outcome: { keepBranch: boolean }): Promise<void>;
}

/**
 * The durable record of one task, in order.
 * `append` is one transaction that is on disk when it returns; it throws `StorageError` only when the disk
 * fails, which ends the task as `model_error` never silently.
 */
export interface TaskJournal {
  append(entries: JournalEntry[]): void;
  /**
   * As `append`, but when it returns the entries survive a killed process only, and when it resolves a power cut as well:
   * the disk is not waited for in this thread. Throws at once, or rejects, with `StorageError`. `withinMs`: how long the
   * wait for the disk may be put off, so that the next append shares it.
   */
  appendSoon?(entries: JournalEntry[], withinMs?: number): Promise<void>;
  /** All entries of a stage, in order of writing. */
  read(stage: string): JournalEntry[];
  /** The most time that an entry says of the task, in milliseconds; a journal without it forgets time over a crash. */
  usedMs?(): number;
}

/**
 * `answer`: a reply of the model, before it is acted on. `intent`: a call with effects is about to run.
 * `result`: it ran. `input`: text that came from outside between rounds (steering, approval).
 * `round` counts from 1 within a stage (`run`, `correct-1`, `plan`, `step-3`, `summary`), `call` from 0 within a round.
 */
export interface JournalEntry {
  kind: 'answer' | 'intent' | 'result' | 'input' | 'change';
  stage: string;
  round: number;
  call: number;
  body: unknown;
  /** Used of the task's wall clock when this was written; whole milliseconds. Not given back by `read`. */
  usedMs?: number;
}

/** Answers of the cost ledger. Implemented by `CostLedger`. */
export interface Ledger {
  /** Reserves the estimate, or says which budget is exhausted. Never throws; under 50 µs. */
  check(call: LedgerEstimate): { ok: true; reservation: Reservation } | { ok: false; exhausted: Exhausted };
  /** Replaces the reservation with what the call really cost. Call once; later calls are ignored. */
  settle(reservation: Reservation, actual: LedgerActual): { costUsd: number };
  taskTotals(taskId: string): LedgerTotals;
}
export interface LedgerEstimate {
  taskId: string;
  model: string;
  iteration: number;
  tokensIn: number;
  tokensOut: number;
  gpuSeconds?: number;
  /** The task's own limits; the stricter of these and the configured ones holds. */
  budget?: { max_tokens?: number; max_usd?: number; max_gpu_seconds?: number };
}
export interface LedgerActual {
  tokensIn: number;
  tokensOut: number;
  totalNs: number;
  loadNs: number;
  promptEvalNs: number;
  evalNs: number;
}
export interface Reservation {
  readonly id: number;
}
export interface Exhausted {
  scope: 'task' | 'hour' | 'day' | 'model';
  unit: 'tokens' | 'usd' | 'gpu_seconds';
  limit: number;
  used: number;
  /** Milliseconds since the epoch when spending frees up; undefined for a task's own budget. */
  freesAtMs?: number;
}
export interface LedgerTotals {
  calls: number;
  tokensIn: number;
  tokensOut: number;
  gpuSeconds: number;
  costUsd: number;
}

/** A question to a person; `kind` decides the policy. Names are the protocol's. */
export interface ApprovalRequest {
  task_id: string;
  approval_id: string;
  kind: 'summary' | 'question' | 'command';
  /** At most 20 000 characters. */
  summary: string;
}
/** `unsupported`: this hub has no line to people. `stopped`: the line ended. */
export type ApprovalAnswer =
  | { ok: true; decision: 'accepted' | 'rejected' | 'corrected'; text?: string }
  | { ok: false; reason: 'unsupported' | 'timeout' | 'aborted' | 'stopped' };
/** Asks a person and waits at most `timeoutMs`. Never rejects. */
export type AskPerson = (
  request: ApprovalRequest,
  wait: { timeoutMs: number; signal?: AbortSignal },
) => Promise<ApprovalAnswer>;

/** Hears all that is said in a run, whole. Never throws, never blocks. */
export interface RunObserver {
  said(type: 'SYSTEM' | 'USER' | 'AGENT', text: string): void;
  /** A call as the model made it, before its arguments are resolved. */
  toolCall(name: string, args: unknown): void;
  /** Untruncated. */
  toolResult(name: string, fullOutput: string): void;
  /** The record goes to disk; nobody waits for it. */
  roundEnded(): void;
}

/** The record of one task on disk besides its result. Nothing here rejects: a disk that fails is logged and the work goes on. */
export interface RunSession {
  readonly observer: RunObserver;
  /** Where the plan's document belongs. */
  readonly planFile: string;
  /** Texts without the secrets that this process knows. */
  maskDeep<T>(value: T): T;
  /** The same server with its calls recorded. */
  record(server: ModelServer): ModelServer;
  /** Where the work began, once that is known. */
  note(facts: { model?: string; baseCommit?: string }): void;
  /** How the task ended; without a result it ended by a failure of this program and may go on later. */
  end(result?: TaskResult): Promise<void>;
}

/** Counts what happens, for metrics. Never throws, never blocks. */
export interface Telemetry {
  /** An answer of the model was read, by this layer of the parser or as `final_answer`, `malformed`, `empty`, … */
  answer(layer: string): void;
  event(event: ExecutionEvent): void;
  /** A task ended; without a result when it failed before it began or was cancelled. */
  ended(outcome: string, result?: TaskResult): void;
}

/** Begins a trace for each attempt at a task. Never throws, never blocks. */
export interface TaskTracer {
  /** `resumed`: an earlier life of this worker began the attempt. */
  begin(task: Task, facts: { resumed: boolean }): TaskTrace | undefined;
}

/** One attempt at a task, as its trace shows it. Never throws, never blocks. */
export interface TaskTrace {
  /** The same server with each of its calls told; `baseUrl` is where it is. */
  watch(server: ModelServer, baseUrl: string): ModelServer;
  /** A call has just ended. `known`: there is such a tool. */
  toolCall(result: Omit<ToolCallResult, 'output' | 'fullOutput'>, known: boolean): void;
  /** The attempt is over. `error`: why it failed, in words. */
  end(ending: { outcome: string; generation: number; result?: TaskResult; error?: string }): void;
}

/** Runs a task to its result; the library's `OllamaExecutor`, the worker's `ShellExecutor`. Never rejects for an expected failure. */
export interface TaskExecutor<C = unknown> {
  execute(task: Task, config: C, onProgress: OnProgress): Promise<TaskResult>;
}

/**
 * Defines the interfaces to the surroundings of a task: clock, log, files and commands, users. Rooms depend on these interfaces, never on
 * each other's implementations. Expected failures are returned as data: no method rejects or throws for one, unless its comment says so.
 */
import type { Changes } from './protocol/result.ts';
import type { ExecutionEvent } from './protocol/events.ts';

/** Clock that tests replace, so that tests of long waits take milliseconds. */
export interface Clock {
  /** Returns the present time in milliseconds since the epoch. */
  now(): number;
  /** Returns the milliseconds of a clock that never goes back, for durations. */
  monotonicMs(): number;
  /** Runs `run` once after `delayMs`; the returned function cancels it and may be called twice. */
  schedule(delayMs: number, run: () => void): () => void;
}

/** The methods of pino's logger that rooms use. They never throw. */
export interface Logger {
  debug(fields: object, message: string): void;
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
  child(fields: object): Logger;
}

/** Called with each event of a run. Must not throw or block. */
export type OnProgress = (event: ExecutionEvent) => void;

/** Operations of tools on a workspace. Paths are relative to the workspace or inside it. */
export interface ExecutionEnvironment {
  readonly workingDirectory: string;
  readonly platform: NodeJS.Platform;
  initialize(): Promise<void>;
  cleanup(): Promise<void>;
  /** Reads a text file. Rejects with `EnvironmentError` (code, message), like all methods of this interface. */
  readFile(path: string, range?: { offset?: number; limit?: number }): Promise<FileText>;
  /** Writes a file. Encoding and mode of a replaced file remain; a new file takes them from the file `like`, if given. */
  writeFile(path: string, content: string, like?: string): Promise<{ created: boolean; sizeBytes: number }>;
  /** Prepares a write without replacing the file, so that several writes can succeed or fail together; optional. */
  stageWrite?(path: string, content: string, like?: string): Promise<StagedWrite>;
  deleteFile(path: string): Promise<void>;
  fileExists(path: string): Promise<boolean>;
  stat(path: string): Promise<FileStat>;
  listDirectory(
    path: string,
    options?: { recursive?: boolean; pattern?: string; signal?: AbortSignal },
  ): Promise<DirectoryListing>;
  execCommand(command: string, options?: ExecOptions): Promise<ExecResult>;
  /** Runs a program with arguments like `execCommand`, but without a shell; optional. */
  execProgram?(argv: readonly string[], options?: ExecOptions): Promise<ExecResult>;
  /** Starts a program whose stdin stays open. The program ends at `cleanup` at the latest; optional. */
  startProgram?(argv: readonly string[], options: ProgramOptions): Promise<RunningProgram>;
  grep(pattern: string, options?: GrepOptions): Promise<GrepResult>;
  glob(
    pattern: string,
    options?: { path?: string; maxResults?: number; signal?: AbortSignal },
  ): Promise<string[]>;
  /** Returns whether commands run in a sandbox, and the reason if they do not; optional. */
  readSandboxStatus?(): Promise<{ sandboxed: true } | { sandboxed: false; reason: string }>;
  /** Returns an environment for a copy of this workspace, with the dependencies of this one. */
  openTree(tree: CopiedTree): Promise<ExecutionEnvironment>;
}

export interface CopiedTree {
  dir: string;
  gitDirs: readonly string[];
  /** Called with a path of the copy before a file tool writes there. */
  onWrite?: (path: string) => Promise<void>;
  /** Folder for caches of tools, shared with later runs. Default: a folder in the copy's own home, which is deleted with the copy. */
  cacheDir?: string;
}

/** Lines of a text file. Without a range: the whole file, with `text` exactly as on disk (with BOM). */
export interface FileText {
  text: string;
  /** First line of `text`, from 1. */
  firstLine: number;
  /** Number of lines in `text`. */
  lineCount: number;
  /** Number of lines in the file; undefined if reading stopped before its end. */
  totalLines?: number;
  sizeBytes: number;
  /** Encoding of the file if it is not UTF-8. `Windows-1252` is a guess: each byte is one character, so unchanged text is written back as
   * the same bytes. */
  encoding?: 'UTF-16LE' | 'UTF-16BE' | 'Windows-1252';
}
/** A validated write whose content is on disk beside its target. Call either `commit` or `discard`, once. */
export interface StagedWrite {
  isNew: boolean;
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
  /** Number of entries that the listing omits because of its limit. */
  omittedCount: number;
}
export interface ExecOptions {
  timeoutMs?: number;
  cwd?: string;
  signal?: AbortSignal;
  /** Called with output as it arrives; must not throw. */
  onOutput?: (chunk: { stream: 'stdout' | 'stderr'; text: string }) => void;
  /**
   * Whether the caller or a user has approved the command. An approved command is not checked against the deny list, but still runs in the
   * sandbox.
   */
  isApproved?: boolean;
  /** Words to append to environment variables of the command, by variable. */
  appendedVariables?: Readonly<Record<string, string>>;
  /** Whether the command has network access. Only for the operator's own commands (`workspace.prepare`), never for a task's. */
  network?: boolean;
}
export interface ProgramOptions extends Pick<ExecOptions, 'cwd' | 'network'> {
  /** Called with the program's stdout as it arrives; must not throw. */
  onStdout: (chunk: Buffer) => void;
  /** Additional environment variables of the program; only values from the operator. */
  variables?: Readonly<Record<string, string>>;
}
/** A program whose stdin is open. Its result contains only a few KiB of its output. */
export interface RunningProgram {
  /** Writes to the program's stdin. Has no effect if the program has ended. Never throws. */
  write(text: string): void;
  /** Resolves with the result when the program ends. Rejects with `EnvironmentError` if it could not be started. */
  readonly ended: Promise<ExecResult>;
  /** Ends the program and everything that it started, completely. May be called twice; never rejects. */
  stop(): Promise<void>;
}
export interface ExecResult {
  stdout: string;
  stderr: string;
  /** Text of stdout and stderr together, in the order of arrival. */
  output: string;
  /** Exit code; null if a signal ended the command. */
  exitCode: number | null;
  signal: NodeJS.Signals | null;
  timedOut: boolean;
  aborted: boolean;
  durationMs: number;
  /** Number of bytes beyond the limit, which were dropped from the middle of the output. */
  droppedBytes: number;
  sandboxed: boolean;
  /** Description of the limit that was exceeded, for which the command was stopped. */
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

/** Folder of a task, whose changes git tracks: a worktree or a caller's folder. */
export interface TaskWorkspace {
  readonly dir: string;
  readonly repo?: string;
  readonly branch?: string;
  readonly baseCommit?: string;
  /**
   * Commits all changes, without hooks, and returns the changes since the base. May be called twice. Rejects with a coded error (code,
   * message) if git or the disk fails.
   */
  commit(message: string): Promise<Changes>;
  /** Publishes the task's branch if it is retained, and removes the worktree unless it is still needed. */
  release(outcome: { keepBranch: boolean }): Promise<void>;
}

/** Question to the user. `kind` determines the policy that applies. Field names are those of the protocol. */
export interface ApprovalRequest {
  task_id: string;
  approval_id: string;
  kind: 'summary' | 'question' | 'command';
  /** Text that the user sees, at most 20,000 characters. */
  summary: string;
}
/** Answer to a question. `unsupported`: this hub cannot ask users. `stopped`: the connection ended. */
export type ApprovalAnswer =
  | { ok: true; decision: 'accepted' | 'rejected' | 'corrected'; text?: string }
  | { ok: false; reason: 'unsupported' | 'timeout' | 'aborted' | 'stopped' };
/** Asks a user, and waits for the answer at most `timeoutMs`. Never rejects. */
export type AskUser = (
  request: ApprovalRequest,
  wait: { timeoutMs: number; signal?: AbortSignal },
) => Promise<ApprovalAnswer>;

/** A call of a tool that has ended, without its output. */
export interface EndedToolCall {
  toolCallId: string;
  /** Canonical name of the tool, never an alias. */
  toolName: string;
  isError: boolean;
  durationMs: number;
  details?: Record<string, unknown>;
}

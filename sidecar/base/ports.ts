/**
 * Interfaces to what is outside of a task: clock, log, files and commands, users. Rooms depend on these, never on
 * each other's implementations. Expected failures are data: no method rejects or throws for one, unless its type says so.
 */
import type { Changes } from './protocol/result.ts';
import type { ExecutionEvent } from './protocol/events.ts';

/** Injected time, so that tests of minutes take milliseconds. */
export interface Clock {
  /** Returns milliseconds since the epoch. */
  now(): number;
  /** Returns monotonic milliseconds, for durations. */
  monotonicMs(): number;
  /** Runs `run` once after `delayMs`; the returned function cancels it and may be called twice. */
  schedule(delayMs: number, run: () => void): () => void;
}

/** Logger: the part of pino that rooms use. Never throws. */
export interface Logger {
  debug(fields: object, message: string): void;
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
  child(fields: object): Logger;
}

/** Receives the events of a run. Never throws, never blocks. */
export type OnProgress = (event: ExecutionEvent) => void;

/** Operations of tools on a workspace. Paths are relative to the workspace or inside it. */
export interface ExecutionEnvironment {
  readonly workingDirectory: string;
  readonly platform: NodeJS.Platform;
  initialize(): Promise<void>;
  cleanup(): Promise<void>;
  /** Reads a text file. Rejects with `EnvironmentError` (code, message), like all methods of this interface. */
  readFile(path: string, range?: { offset?: number; limit?: number }): Promise<FileText>;
  /** Writes a file. Retains encoding and mode of the replaced file; a new file takes them from `like`, if given. */
  writeFile(path: string, content: string, like?: string): Promise<{ created: boolean; sizeBytes: number }>;
  /** Prepares a write without replacing the file, for several writes that must all succeed; optional. */
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
  /** Starts a program with an open stdin. `cleanup` ends it at the latest; optional. */
  startProgram?(argv: readonly string[], options: ProgramOptions): Promise<RunningProgram>;
  grep(pattern: string, options?: GrepOptions): Promise<GrepResult>;
  glob(
    pattern: string,
    options?: { path?: string; maxResults?: number; signal?: AbortSignal },
  ): Promise<string[]>;
  /** Returns whether commands run in a sandbox, and the reason if they do not; optional. */
  sandboxStatus?(): Promise<{ sandboxed: true } | { sandboxed: false; reason: string }>;
  /** Returns an environment for a copy of this workspace, with the dependencies of this one. */
  openTree(tree: CopiedTree): Promise<ExecutionEnvironment>;
}

export interface CopiedTree {
  dir: string;
  gitDirs: readonly string[];
  /** Called with a path of the copy before a file tool writes there. */
  onWrite?: (path: string) => Promise<void>;
  /** Folder for tool caches shared with later runs. Default: in the copy's own home, which is deleted with it. */
  cacheDir?: string;
}

/** Lines of a text file. Without a range: the whole file, with `text` exactly as on disk (with BOM). */
export interface FileText {
  text: string;
  /** First line of `text`, from 1. */
  firstLine: number;
  /** Lines in `text`. */
  lineCount: number;
  /** Lines in the file; undefined if reading stopped before its end. */
  totalLines?: number;
  sizeBytes: number;
  /** Encoding of the file if it is not UTF-8. `Windows-1252` is a guess: each byte is one character, so unchanged text is written back as
   * the same bytes. */
  encoding?: 'UTF-16LE' | 'UTF-16BE' | 'Windows-1252';
}
/** A validated write whose content is on disk beside its target. Call either `commit` or `discard`, once. */
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
  /** Number of entries beyond the limit. */
  omitted: number;
}
export interface ExecOptions {
  timeoutMs?: number;
  cwd?: string;
  signal?: AbortSignal;
  /** Receives text as it arrives; must not throw. */
  onOutput?: (chunk: { stream: 'stdout' | 'stderr'; text: string }) => void;
  /** Whether the caller or a user has approved the command. An approved command skips the deny list, but not the sandbox. */
  vetted?: boolean;
  /** Words to append to environment variables of the command, by variable. */
  appendedVariables?: Readonly<Record<string, string>>;
  /** Grants network access; only for the operator's own commands (`workspace.prepare`), never for a task. */
  network?: boolean;
}
export interface ProgramOptions extends Pick<ExecOptions, 'cwd' | 'network'> {
  /** Receives the program's output; must not throw. */
  onStdout: (chunk: Buffer) => void;
  /** Additional environment variables of the program; only values from the operator. */
  variables?: Readonly<Record<string, string>>;
}
/** A program with an open stdin. The result contains a few KiB of its output. */
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
  /** stdout and stderr in the order of arrival. */
  output: string;
  /** Null if a signal ended the command. */
  exitCode: number | null;
  signal: NodeJS.Signals | null;
  timedOut: boolean;
  aborted: boolean;
  durationMs: number;
  /** Bytes dropped from the middle, beyond the limit. */
  droppedBytes: number;
  sandboxed: boolean;
  /** The sandbox limit that ended the command. */
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

/** The folder of a task with its history: a git worktree or a caller's folder. */
export interface TaskWorkspace {
  readonly dir: string;
  readonly repo?: string;
  readonly branch?: string;
  readonly baseCommit?: string;
  /**
   * Commits everything (hooks off) and returns the changes since the base. Safe to call twice. Rejects with
   * a coded error (code, message) if git or the disk fails.
   */
  commit(message: string): Promise<Changes>;
  /** Makes the branch available to the repository's owner, and removes the worktree unless it is still needed. */
  release(outcome: { keepBranch: boolean }): Promise<void>;
}

/** A question to the user; `kind` decides the policy. Field names are those of the protocol. */
export interface ApprovalRequest {
  task_id: string;
  approval_id: string;
  kind: 'summary' | 'question' | 'command';
  /** At most 20 000 characters. */
  summary: string;
}
/** `unsupported`: this hub cannot ask users. `stopped`: the connection ended. */
export type ApprovalAnswer =
  | { ok: true; decision: 'accepted' | 'rejected' | 'corrected'; text?: string }
  | { ok: false; reason: 'unsupported' | 'timeout' | 'aborted' | 'stopped' };
/** Asks a user and waits at most `timeoutMs`. Never rejects. */
export type AskUser = (
  request: ApprovalRequest,
  wait: { timeoutMs: number; signal?: AbortSignal },
) => Promise<ApprovalAnswer>;

/** A call of a tool that has ended, without its output. */
export interface EndedToolCall {
  toolCallId: string;
  /** Canonical name, aliases resolved. */
  toolName: string;
  isError: boolean;
  durationMs: number;
  details?: Record<string, unknown>;
}

/**
 * The tool `shell`: runs a command in the workspace and returns its output, exit code and duration. A command `apply_patch <<'EOF'` is run
 * as a call of the tool apply_patch.
 */
import { posix } from 'node:path';
import * as z from 'zod';
import type { ExecResult } from '../base/ports.ts';
import { applyPatch, findPatchInCommand } from './apply-patch.ts';
import { buildCommandOutput } from './command-report.ts';
import { buildRefusal, type RegisteredTool, type ToolContext, type ToolOutput } from './types.ts';

const DEFAULT_TIMEOUT_MS = 10_000;
const MAX_TIMEOUT_MS = 600_000;

const schema = z.object({
  command: z.string().min(1),
  timeout_ms: z.number().positive().optional().describe('default 10000, max 600000'),
  working_dir: z.string().optional(),
});

async function runShell(args: z.output<typeof schema>, context: ToolContext): Promise<ToolOutput> {
  const inlinePatch = findPatchInCommand(args.command);
  if (inlinePatch) {
    const { patch, dir = '.' } = inlinePatch;
    const baseDir = posix.isAbsolute(dir) ? dir : posix.join(args.working_dir || '.', dir);
    return await applyPatch({ patch }, context, baseDir);
  }
  const refusalReason = await context.refuseCommand?.(args.command);
  if (refusalReason !== undefined) return buildRefusal(refusalReason, { refused: true });
  const timeoutMs = Math.min(MAX_TIMEOUT_MS, Math.ceil(args.timeout_ms ?? DEFAULT_TIMEOUT_MS));
  const result = await context.env.execCommand(args.command, {
    timeoutMs,
    cwd: args.working_dir || undefined,
    ...(context.refuseCommand ? { isApproved: true } : {}),
    signal: context.signal,
    onOutput: context.emit,
  });
  return buildCommandOutput(result, timeoutMs, [
    ...adviseOnTimeout(result, timeoutMs),
    ...adviseOnFailure(result),
  ]);
}

function adviseOnTimeout(result: ExecResult, timeoutMs: number): string[] {
  if (!result.timedOut) return [];
  return [
    timeoutMs < MAX_TIMEOUT_MS
      ? `Retry with a larger timeout_ms (up to ${MAX_TIMEOUT_MS}), or split the command into smaller ones. Do not wait for a command that never ends by itself (a server, a watcher, a prompt).`
      : 'This is the maximum timeout; split the command into smaller ones.',
  ];
}

/** Patterns of failures whose messages mislead a model, each with advice. */
const ADVICE_BY_FAILURE: readonly { failure: RegExp; advice: string }[] = [
  {
    failure: /\.git\b.*: Read-only file system/,
    advice:
      'git cannot write here: your changes are committed for you. Continue without add, commit, stash and checkout; use mv and rm instead of git mv and git rm.',
  },
  {
    failure: /\bcd: (?:can't cd to )?\//,
    advice: "Commands start in the workspace's top folder already: leave out the cd.",
  },
];

/** Maximum length of the end of the output in which failures with advice are searched for. */
const MAX_ADVISED_CHARS = 64 * 1024;
const MAX_LINE_CHARS = 1_000;

function adviseOnFailure({ exitCode, output }: ExecResult): string[] {
  if (exitCode === 0) return [];
  const lines = output
    .slice(-MAX_ADVISED_CHARS)
    .split('\n')
    .filter((line) => line.length <= MAX_LINE_CHARS);
  return ADVICE_BY_FAILURE.flatMap(({ failure, advice }) =>
    lines.some((line) => failure.test(line)) ? [`[${advice}]`] : [],
  );
}

export const shellTool: RegisteredTool<typeof schema> = {
  name: 'shell',
  aliases:
    'run_command shell_exec bash execute_command exec execute run sh cmd terminal console shell_command run_shell run_shell_command execute_shell_command run_terminal_cmd run_terminal_command run_in_terminal exec_command execute_bash run_bash bash_command local_shell container_exec'.split(
      ' ',
    ),
  description: 'Run a shell command. Do not git commit: that is done for you.',
  argumentAliases: {
    command: ['cmd', 'script', 'shell_command', 'bash', 'code', 'input'],
    timeout_ms: ['timeout', 'timeout_millis', 'timeout_milliseconds'],
    working_dir: ['cwd', 'workdir', 'working_directory', 'dir', 'directory', 'path'],
  },
  textArguments: ['command'],
  schema,
  readOnly: false,
  output: { maxChars: 30_000, mode: 'head_tail', maxLines: 256 },
  execute: runShell,
};

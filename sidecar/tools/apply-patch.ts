/** The tool `apply_patch`: applies a v4a patch to several files, all or nothing. */
import * as z from 'zod';
import { parsePatch } from '../parsing/editing/patch-parser.ts';
import { type FileChange, planPatch } from '../parsing/editing/patch-plan.ts';
import { buildViewDetails, viewOf } from './file-view.ts';
import { describeNewProblems } from './parse-note.ts';
import { buildRefusal, type RegisteredTool, type ToolContext, type ToolOutput } from './types.ts';
import { errorMessage } from '../base/values/errors.ts';
import type { ExecutionEnvironment, StagedWrite } from '../base/ports.ts';

const schema = z.object({
  patch: z
    .string()
    .min(1)
    .describe(
      '*** Begin Patch\n*** Update File: a.ts\n@@ optional line above\n context\n-old\n+new\n*** End Patch; also *** Add File: (all lines +), *** Delete File:, *** Move to:',
    ),
});

export async function applyPatch(
  args: z.output<typeof schema>,
  context: ToolContext,
  baseDir?: string,
): Promise<ToolOutput> {
  const parsed = parsePatch(args.patch);
  if (!parsed.ok) return refusePatch(parsed.message);
  const planned = await planPatch(parsed.operations, context.env, baseDir);
  if (!planned.ok) return refuseMisfit(planned.message, planned.path, context);
  const parsing = await checkSyntax(planned.changes, context);
  const committed = await commitChanges(planned.changes, context.env);
  if (!committed.ok) return refusePatch(committed.message);
  const { descriptions, changes } = planned;
  const operations = descriptions.length === 1 ? '1 operation' : `${descriptions.length} operations`;
  return {
    text: `Applied ${operations}: ${descriptions.join(', ')}${parsing}`,
    details: { paths: changes.map(({ path }) => path) },
  };
}

/** Returns the refusal of a patch that does not fit, with the current text if the file is small. */
async function refuseMisfit(
  message: string,
  path: string,
  { env, maxOutputChars: maxChars }: ToolContext,
): Promise<ToolOutput> {
  const file = await env.readFile(path).catch(() => undefined);
  const view = file && (await viewOf(path, file.text, { maxChars }));
  const lines = [message, 'No file was changed.', ...(view?.isWhole ? [view.text] : [])];
  return refusePatch(lines.join('\n'), view ? buildViewDetails(path, view) : {});
}

/** Returns notes on syntax errors that the changes cause. Must run before the files are written. */
async function checkSyntax(changes: readonly FileChange[], { env }: ToolContext): Promise<string> {
  const notes: string[] = [];
  for (const change of changes) {
    if (change.type === 'delete') continue;
    const { path, text, like = path } = change;
    const before = await env.readFile(like).catch(() => undefined);
    notes.push(await describeNewProblems(path, before?.text, text));
  }
  return notes.join('');
}

const refusePatch = (reason: string, details?: Record<string, unknown>): ToolOutput =>
  buildRefusal(`The patch was not applied.\n${reason}`, details);

const PATCH_COMMAND =
  /^\s*(?:cd\s+(?<dir>"[^"]+"|'[^']+'|[^\s;&|"'$`]+)\s*(?:&&|;)\s*)?apply_?patch\s+(?<heredoc><<-?\s*(?:'(?<end1>\w+)'|"(?<end2>\w+)"|(?<end3>\w+))[ \t]*\r?\n[\s\S]*)$/;

/** Returns the patch of a shell command that only applies a patch, and the folder to which the command changes first. */
export function findPatchInCommand(command: string): { patch: string; dir?: string } | undefined {
  const groups = PATCH_COMMAND.exec(command)?.groups;
  const heredoc = groups?.heredoc?.trimEnd();
  const end = groups?.end1 ?? groups?.end2 ?? groups?.end3;
  if (heredoc === undefined || end === undefined) return undefined;
  // Commands after the heredoc would be lost.
  const lastLine = heredoc.slice(heredoc.lastIndexOf('\n') + 1).trim();
  if (lastLine !== end) return undefined;
  return { patch: heredoc, dir: groups?.dir?.replace(/^(["'])(.*)\1$/, '$2') };
}

export const applyPatchTool: RegisteredTool<typeof schema> = {
  name: 'apply_patch',
  aliases: 'patch patch_file'.split(' '),
  description: 'Change several files at once, all or nothing.',
  argumentAliases: { patch: ['input', 'patch_text', 'diff', 'patch_content', 'content'] },
  textArguments: ['patch'],
  schema,
  readOnly: false,
  changes: 'files',
  output: { maxChars: 10_000, mode: 'tail' },
  execute: (args: z.output<typeof schema>, context) => applyPatch(args, context),
};

type CommitOutcome = { ok: true } | { ok: false; message: string };

/** One change of a patch, which can be undone. */
interface PatchStep {
  path: string;
  run: () => Promise<unknown>;
  undo: () => Promise<unknown>;
  /** The prepared write that `run` commits. */
  stagedWrite?: StagedWrite;
}

/** Applies all changes. A failure names the change that failed, and the changes that could not be undone. */
async function commitChanges(
  changes: readonly FileChange[],
  env: ExecutionEnvironment,
): Promise<CommitOutcome> {
  const steps: PatchStep[] = [];
  const removalRank = ({ type }: FileChange): number => Number(type === 'delete');
  for (const change of changes.toSorted((a, b) => removalRank(a) - removalRank(b))) {
    try {
      steps.push(await prepareStep(change, env));
    } catch (error) {
      await discardStaged(steps);
      return { ok: false, message: `${change.path}: ${errorMessage(error)} (nothing was changed)` };
    }
  }
  return await runSteps(steps);
}

/** Prepares one change: stages the new content, and reads the old content for an undo. */
async function prepareStep(change: FileChange, env: ExecutionEnvironment): Promise<PatchStep> {
  const { path } = change;
  const exists = change.type === 'delete' || (await env.fileExists(path));
  const before = exists ? await readRestorableText(path, env) : undefined;
  const undo = exists ? () => restoreText(path, before, env) : () => env.deleteFile(path);
  if (change.type === 'delete') return { path, run: () => env.deleteFile(path), undo };
  const { text, like } = change;
  const stagedWrite = await env.stageWrite?.(path, text, like);
  return { path, run: () => stagedWrite?.commit() ?? env.writeFile(path, text, like), undo, stagedWrite };
}

async function runSteps(steps: readonly PatchStep[]): Promise<CommitOutcome> {
  for (const [index, step] of steps.entries()) {
    try {
      await step.run();
    } catch (error) {
      // The failed step has no staged content left, so only later steps are discarded.
      await discardStaged(steps.slice(index + 1));
      const changedPaths = await undoSteps(steps.slice(0, index));
      const state =
        changedPaths.length === 0
          ? 'nothing was changed'
          : `the changes to these files could not be undone: ${changedPaths.join(', ')}`;
      return { ok: false, message: `${step.path}: ${errorMessage(error)} (${state})` };
    }
  }
  return { ok: true };
}

const discardStaged = (steps: readonly PatchStep[]): Promise<unknown> =>
  Promise.allSettled(steps.flatMap(({ stagedWrite }) => stagedWrite?.discard() ?? []));

/** Returns the text, or undefined if it could not be written back unchanged. */
async function readRestorableText(path: string, env: ExecutionEnvironment): Promise<string | undefined> {
  try {
    const { text, encoding } = await env.readFile(path);
    return encoding === undefined ? text : undefined;
  } catch {
    // A binary file may still be replaced or deleted; only an undo would miss its content, and reports that.
    return undefined;
  }
}

async function restoreText(
  path: string,
  before: string | undefined,
  env: ExecutionEnvironment,
): Promise<void> {
  if (before === undefined) throw new Error('its old content was not text');
  await env.writeFile(path, before);
}

/** Undoes the applied steps, latest first; returns the paths that remain changed. */
async function undoSteps(appliedSteps: readonly PatchStep[]): Promise<string[]> {
  const changedPaths: string[] = [];
  for (const { path, undo } of appliedSteps.toReversed()) {
    try {
      await undo();
    } catch (error) {
      changedPaths.push(`${path} (${errorMessage(error)})`);
    }
  }
  return changedPaths;
}

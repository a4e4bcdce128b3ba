/**
 * Builds the first user message: the task's context, then the request, because models follow best what they read last. Pure
 * and limited by the window; the workspace comes from `gatherContext`. The repository's guidance is between marks that it
 * cannot close.
 */
import { criterionTextOf } from '../../base/protocol/task.ts';
import type { FileHint, Task, TaskInput } from '../../base/protocol/task.ts';
import type { Skill } from './skills.ts';
import { shortenMiddle, fitLines } from '../../base/values/shortening.ts';
import { DEFAULT_CHARS_PER_TOKEN } from '../../model/token-estimate.ts';
import { removeCredentials } from '../../base/addresses/without-credentials.ts';

/** Shares of the window for the whole message, and for the request before it is cut. */
const MESSAGE_SHARE = 0.1;
const REQUEST_SHARE = 0.25;
/** Share reserved for criteria, checks and similar parts beside a long request. */
const CONTEXT_FLOOR_SHARE = 0.03;
const DEFAULT_WINDOW_TOKENS = 32_768;
/** Limit of entries that a list shows; the rest is counted. */
const MAX_LISTED = 40;
const MAX_ENTRY_CHARS = 300;
const MAX_SKILLS_CHARS = 4_000;

/** An AGENTS.md text and its origin: a path in the workspace, or a name for the user's own. */
export interface Guidance {
  path: string;
  text: string;
}

export interface TaskContext {
  /** Default: the task's branch. */
  branch?: string;
  platform?: string;
  /** Notes on files that differ from the owner's workspace. */
  notes?: readonly string[];
  /** For a follow-up: whether the earlier task's changes are in the workspace. */
  hasEarlierWork?: boolean;
  /** Lines of the short tree. */
  tree?: readonly string[];
  /** Farthest first, nearest last. */
  guidance?: readonly Guidance[];
  /** Cards for this kind of task, best first. */
  skills?: readonly Pick<Skill, 'name' | 'text'>[];
  /** Whether a brief precedes the message: only guidance, criteria and the request remain. */
  isBriefed?: boolean;
  /** Limits the message; default 32 768. */
  windowTokens?: number;
  /** As learned by the token estimator. */
  charsPerToken?: number;
}

/** Builds the text of the first user message. Accepts a task with only a description. */
export function buildTaskMessage(task: Partial<Task> | TaskInput, context: TaskContext = {}): string {
  const { windowTokens = DEFAULT_WINDOW_TOKENS, charsPerToken = DEFAULT_CHARS_PER_TOKEN } = context;
  const windowChars = windowTokens * charsPerToken;
  const request = section('Task', [cutMiddle((task.description ?? '').trim(), windowChars * REQUEST_SHARE)]);
  const parts = context.isBriefed
    ? [section('Workspace', notes(context)), criteria(task)]
    : [facts(task, context), hints(task), criteria(task), checks(task)].filter(Boolean);
  let room = Math.max(windowChars * MESSAGE_SHARE - request.length, windowChars * CONTEXT_FLOOR_SHARE);
  const kept = parts.map((part) => {
    const text = cutMiddle(part, Math.max(0, room));
    room -= text.length;
    return text;
  });
  const skills = skillsSection(context.skills ?? [], room);
  room -= skills.length;
  const guidance = guidanceSection(context.guidance ?? [], room);
  room -= guidance.length;
  const tree = treeSection(context.tree ?? [], room);
  const [first, ...others] = kept;
  return [first, tree, guidance, ...others, skills, request].filter(Boolean).join('\n\n');
}

const section = (title: string, lines: readonly string[]): string =>
  lines.length === 0 ? '' : `# ${title}\n${lines.join('\n')}`;

function facts(task: Partial<Task> | TaskInput, context: TaskContext): string {
  const branch = context.branch ?? task.branch;
  const lines = ['Folder: . (the root of all paths)'];
  if (task.repo) lines.push(`Repository: ${oneLine(removeCredentials(task.repo))}`);
  if (branch) lines.push(`Branch: ${oneLine(branch)}`);
  if (context.platform) lines.push(`Platform: ${context.platform}`);
  lines.push(...notes(context));
  const followUpOf = task.follow_up_of ?? task.metadata?.follow_up_of;
  if (typeof followUpOf === 'string' && followUpOf !== '') {
    lines.push(`This goes on with task ${oneLine(followUpOf)}${earlierWork(context)}.`);
  }
  return section('Workspace', lines);
}

const notes = (context: TaskContext): string[] =>
  (context.notes ?? []).map((note) => `Note: ${oneLine(note)}`);

function earlierWork({ hasEarlierWork }: TaskContext): string {
  if (hasEarlierWork === undefined) return '';
  return hasEarlierWork
    ? ': what that task changed is in the workspace already'
    : ': nothing that it changed is in the workspace';
}

function hints(task: Partial<Task> | TaskInput): string {
  const entries = (task.file_hints ?? []).map((hint: FileHint | { path: string; reason?: string | null }) =>
    typeof hint === 'string' ? hint : hint.path + (hint.reason ? `: ${hint.reason}` : ''),
  );
  return section('Relevant files', list(entries));
}

const criteria = (task: Partial<Task> | TaskInput): string =>
  section('Done when', list((task.success_criteria ?? []).map(criterionTextOf)));

function checks(task: Partial<Task> | TaskInput): string {
  if (task.skip_verification) return '';
  const entries = (task.verification_steps ?? []).map(({ type, target, contains, description }) => {
    const what = [type, target].filter(Boolean).join(' ');
    return (
      what +
      (contains ? ` contains ${JSON.stringify(contains)}` : '') +
      (description ? ` (${description})` : '')
    );
  });
  return section('Checks that will be run on your work', list(entries));
}

function list(entries: readonly string[]): string[] {
  const lines = entries.slice(0, MAX_LISTED).map((entry) => `- ${oneLine(entry)}`);
  return entries.length > MAX_LISTED ? [...lines, `- … ${entries.length - MAX_LISTED} more`] : lines;
}

const oneLine = (text: string): string => cutMiddle(text.replaceAll(/\s+/g, ' ').trim(), MAX_ENTRY_CHARS);

/** Formats the guidance texts that fit, nearest preferred; the nearest is shown last. */
function guidanceSection(guidance: readonly Guidance[], roomChars: number): string {
  const frame = 120;
  let room = roomChars - frame;
  const shown: string[] = [];
  for (const { path, text } of guidance.toReversed()) {
    const inner = text.trim().replaceAll('</guidance', '<\\/guidance');
    const size = Math.min(inner.length, room - path.length - 40);
    if (inner === '' || size < Math.min(inner.length, 100)) continue;
    const block = `<guidance file="${escapeAttribute(path)}">\n${cutMiddle(inner, size)}\n</guidance>`;
    room -= block.length;
    shown.unshift(block);
  }
  if (shown.length === 0) return '';
  return section(
    'Guidance of this repository (the task goes first, later texts go before earlier ones)',
    shown,
  );
}

/** Formats the cards that fit as a whole: half of one would mislead. */
function skillsSection(skills: NonNullable<TaskContext['skills']>, roomChars: number): string {
  let room = Math.min(roomChars, MAX_SKILLS_CHARS);
  const shown: string[] = [];
  for (const { name, text } of skills) {
    const block = `<skill name="${escapeAttribute(name)}">\n${text.replaceAll('</skill', '<\\/skill')}\n</skill>`;
    if (block.length > room) continue;
    room -= block.length;
    shown.push(block);
  }
  return section('How this kind of work is done here (the task goes first)', shown);
}

const escapeAttribute = (text: string): string => text.replaceAll(/[\s"<>]+/g, ' ');

/** Formats the tree, which is the first part to be shortened. */
function treeSection(tree: readonly string[], roomChars: number): string {
  const lines = fitLines(tree, roomChars - 40);
  if (lines.length > 0 && lines.length < tree.length) lines.push('…');
  return section('Files', lines);
}

/** Omits the middle of a text beyond about `maxChars`; the mark is added on top. */
const cutMiddle = (text: string, maxChars: number): string =>
  maxChars < 2
    ? ''
    : shortenMiddle(text, maxChars, (removed) => `\n[... ${removed} characters left out ...]\n`);

/**
 * Builds the first user message: first the context of the task, then the request, since models follow best what they read last. The length
 * is limited by the window. The workspace comes from `gatherContext`. The guidance of the repository stands between marks that it cannot
 * close. Pure.
 */
import { criterionTextOf } from '../../base/protocol/task.ts';
import type { FileHint, Task, TaskInput } from '../../base/protocol/task.ts';
import type { Skill } from './skills.ts';
import { shortenMiddle, fitLines } from '../../base/values/shortening.ts';
import { DEFAULT_CHARS_PER_TOKEN } from '../../model/token-estimate.ts';
import { removeCredentials } from '../../base/addresses/credentials.ts';

/** Share of the window for the whole message. */
const MESSAGE_SHARE = 0.1;
/** Share of the window for the request, beyond which it is cut. */
const REQUEST_SHARE = 0.25;
/** Share of the window that is reserved for criteria, checks and similar parts if the request is long. */
const MIN_CONTEXT_SHARE = 0.03;
const DEFAULT_WINDOW_TOKENS = 32_768;
/** Maximum number of entries that a list shows. Further entries are only counted. */
const MAX_LISTED_ENTRIES = 40;
const MAX_ENTRY_CHARS = 300;
const MAX_SKILLS_CHARS = 4_000;

/** The text of an AGENTS.md and its origin: a path in the workspace, or a name for the user's own file. */
export interface Guidance {
  path: string;
  text: string;
}

export interface TaskContext {
  /** Branch; default: the branch of the task. */
  branch?: string;
  platform?: string;
  /** Sentences on how the workspace differs from the user's checkout. */
  notes?: readonly string[];
  /** For a follow-up: whether the workspace contains the changes of the earlier task. */
  hasEarlierWork?: boolean;
  /** Lines of the short tree. */
  tree?: readonly string[];
  /** Guidance texts, the most distant first and the nearest last. */
  guidance?: readonly Guidance[];
  /** Skill cards for this kind of task, best first. */
  skills?: readonly Pick<Skill, 'name' | 'text'>[];
  /** Whether a brief precedes the message. If so, the message contains only guidance, criteria and the request. */
  isBriefed?: boolean;
  /** Size of the context window, which limits the message; default 32,768 tokens. */
  windowTokens?: number;
  /** Characters per token, as measured by the token estimator. */
  charsPerToken?: number;
}

/** Builds the text of the first user message. A task with only a description is accepted. */
export function buildTaskMessage(task: Partial<Task> | TaskInput, context: TaskContext = {}): string {
  const { windowTokens = DEFAULT_WINDOW_TOKENS, charsPerToken = DEFAULT_CHARS_PER_TOKEN } = context;
  const windowChars = windowTokens * charsPerToken;
  const request = formatSection('Task', [
    cutMiddle((task.description ?? '').trim(), windowChars * REQUEST_SHARE),
  ]);
  const parts = context.isBriefed
    ? [formatSection('Workspace', formatNotes(context)), formatCriteria(task)]
    : [formatFacts(task, context), formatHints(task), formatCriteria(task), formatChecks(task)].filter(
        Boolean,
      );
  let leftChars = Math.max(windowChars * MESSAGE_SHARE - request.length, windowChars * MIN_CONTEXT_SHARE);
  const shortenedParts = parts.map((part) => {
    const text = cutMiddle(part, Math.max(0, leftChars));
    leftChars -= text.length;
    return text;
  });
  const skills = formatSkills(context.skills ?? [], leftChars);
  leftChars -= skills.length;
  const guidance = formatGuidance(context.guidance ?? [], leftChars);
  leftChars -= guidance.length;
  const tree = formatTree(context.tree ?? [], leftChars);
  const [first, ...others] = shortenedParts;
  return [first, tree, guidance, ...others, skills, request].filter(Boolean).join('\n\n');
}

const formatSection = (title: string, lines: readonly string[]): string =>
  lines.length === 0 ? '' : `# ${title}\n${lines.join('\n')}`;

function formatFacts(task: Partial<Task> | TaskInput, context: TaskContext): string {
  const branch = context.branch ?? task.branch;
  const lines = ['Folder: . (the root of all paths)'];
  if (task.repo) lines.push(`Repository: ${toSingleLine(removeCredentials(task.repo))}`);
  if (branch) lines.push(`Branch: ${toSingleLine(branch)}`);
  if (context.platform) lines.push(`Platform: ${context.platform}`);
  lines.push(...formatNotes(context));
  const followUpOf = task.follow_up_of ?? task.metadata?.follow_up_of;
  if (typeof followUpOf === 'string' && followUpOf !== '') {
    lines.push(`This continues task ${toSingleLine(followUpOf)}${describeEarlierWork(context)}.`);
  }
  return formatSection('Workspace', lines);
}

const formatNotes = (context: TaskContext): string[] =>
  (context.notes ?? []).map((note) => `Note: ${toSingleLine(note)}`);

function describeEarlierWork({ hasEarlierWork }: TaskContext): string {
  if (hasEarlierWork === undefined) return '';
  return hasEarlierWork
    ? ': what that task changed is in the workspace already'
    : ': nothing that it changed is in the workspace';
}

function formatHints(task: Partial<Task> | TaskInput): string {
  const entries = (task.file_hints ?? []).map((hint: FileHint | { path: string; reason?: string | null }) =>
    typeof hint === 'string' ? hint : hint.path + (hint.reason ? `: ${hint.reason}` : ''),
  );
  return formatSection('Relevant files', formatList(entries));
}

const formatCriteria = (task: Partial<Task> | TaskInput): string =>
  formatSection('Done when', formatList((task.success_criteria ?? []).map(criterionTextOf)));

function formatChecks(task: Partial<Task> | TaskInput): string {
  if (task.skip_verification) return '';
  const entries = (task.verification_steps ?? []).map(({ type, target, contains, description }) => {
    const typeAndTarget = [type, target].filter(Boolean).join(' ');
    return (
      typeAndTarget +
      (contains ? ` contains ${JSON.stringify(contains)}` : '') +
      (description ? ` (${description})` : '')
    );
  });
  return formatSection('Checks that will be run on your work', formatList(entries));
}

function formatList(entries: readonly string[]): string[] {
  const lines = entries.slice(0, MAX_LISTED_ENTRIES).map((entry) => `- ${toSingleLine(entry)}`);
  return entries.length > MAX_LISTED_ENTRIES
    ? [...lines, `- … ${entries.length - MAX_LISTED_ENTRIES} more`]
    : lines;
}

const toSingleLine = (text: string): string =>
  cutMiddle(text.replaceAll(/\s+/g, ' ').trim(), MAX_ENTRY_CHARS);

/** Formats the guidance texts that fit. Nearer texts are preferred, and the nearest one is last. */
function formatGuidance(guidance: readonly Guidance[], roomChars: number): string {
  const frame = 120;
  let leftChars = roomChars - frame;
  const blocks: string[] = [];
  for (const { path, text } of guidance.toReversed()) {
    const inner = text.trim().replaceAll('</guidance', '<\\/guidance');
    const size = Math.min(inner.length, leftChars - path.length - 40);
    if (inner === '' || size < Math.min(inner.length, 100)) continue;
    const block = `<guidance file="${escapeAttribute(path)}">\n${cutMiddle(inner, size)}\n</guidance>`;
    leftChars -= block.length;
    blocks.unshift(block);
  }
  if (blocks.length === 0) return '';
  return formatSection(
    'Guidance of this repository (the task goes first, later texts go before earlier ones)',
    blocks,
  );
}

/** Formats the cards that fit completely, since half a card would mislead the model. */
function formatSkills(skills: NonNullable<TaskContext['skills']>, roomChars: number): string {
  let leftChars = Math.min(roomChars, MAX_SKILLS_CHARS);
  const blocks: string[] = [];
  for (const { name, text } of skills) {
    const block = `<skill name="${escapeAttribute(name)}">\n${text.replaceAll('</skill', '<\\/skill')}\n</skill>`;
    if (block.length > leftChars) continue;
    leftChars -= block.length;
    blocks.push(block);
  }
  return formatSection('How this kind of work is done here (the task goes first)', blocks);
}

const escapeAttribute = (text: string): string => text.replaceAll(/[\s"<>]+/g, ' ');

/** Formats the tree. It is the first part that is shortened. */
function formatTree(tree: readonly string[], roomChars: number): string {
  const lines = fitLines(tree, roomChars - 40);
  if (lines.length > 0 && lines.length < tree.length) lines.push('…');
  return formatSection('Files', lines);
}

/** Replaces the middle of a text that exceeds `maxChars` by a marker. The length of the marker is not counted. */
const cutMiddle = (text: string, maxChars: number): string =>
  maxChars < 2
    ? ''
    : shortenMiddle(text, maxChars, (removed) => `\n[... ${removed} characters left out ...]\n`);

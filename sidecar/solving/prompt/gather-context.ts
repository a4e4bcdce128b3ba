/**
 * Reads the workspace for the task message: a short tree and the AGENTS.md texts. It uses the `ExecutionEnvironment` only, except for the
 * user's own AGENTS.md, which is read directly. Files that cannot be read are left out, since missing guidance must not fail a task.
 */
import { join, posix } from 'node:path';
import { findHomeFolder, findProgramFolder } from '../../base/system/home-folder.ts';
import type { ExecutionEnvironment } from '../../base/ports.ts';
import type { Task } from '../../base/protocol/task.ts';
import { MAX_GUIDANCE_BYTES, readUserFile, readWorkspaceFile } from './guidance-file.ts';
import { findSkills } from './skills.ts';
import type { Guidance, TaskContext } from './task-message.ts';
import { renderTree } from './tree.ts';

const GUIDANCE_FILE = 'AGENTS.md';
/** Maximum number of folders whose guidance is read. */
const MAX_GUIDANCE_FOLDERS = 24;
const MAX_LISTED_PATHS = 20_000;
const MAX_TREE_LINES = 60;

export interface GatherOptions {
  /** Path of the user's AGENTS.md (`config.prompt`); default `~/AGENTS.md`; false or an empty text for none. */
  userGuidanceFile?: string | false;
  /** Whether to search for skill cards (`skills.ts`). */
  skills?: boolean;
  /** Folder of the user's skill cards; default `skills` in the user's settings folder. */
  skillsFolder?: string;
  /** Whether to read the tree of the workspace. Default: true. */
  tree?: boolean;
  /** Number of folders between the repository's root and the folder to which paths are relative. Default: 0. */
  depthBelowRoot?: number | undefined;
}

/** Reads the workspace for `buildTaskMessage`. Never rejects. */
export async function gatherContext(
  task: Pick<Task, 'description' | 'success_criteria' | 'file_hints' | 'metadata'>,
  env: ExecutionEnvironment,
  options: GatherOptions = {},
): Promise<Pick<TaskContext, 'platform' | 'tree' | 'guidance' | 'skills'>> {
  const { skills: readsSkills = false, tree: readsTree = true } = options;
  const { skillsFolder = join(findProgramFolder('CONFIG'), 'skills') } = options;
  const [tree, guidance, skills] = await Promise.all([
    readsTree ? readTree(env) : [],
    readGuidance(task, env, options),
    readsSkills ? findSkills(task, env, skillsFolder) : [],
  ]);
  return { platform: env.platform, tree, guidance, skills };
}

async function readTree(env: ExecutionEnvironment): Promise<string[]> {
  try {
    return renderTree(await env.glob('**/*', { maxResults: MAX_LISTED_PATHS }), MAX_TREE_LINES);
  } catch {
    // Without a tree the model can still list files.
    return [];
  }
}

/**
 * Returns the guidance of the user, then that of the repository, from the root to the folders of the task. The nearest text is last. If the
 * limit is exceeded, the most distant texts are dropped first.
 */
async function readGuidance(
  task: Pick<Task, 'file_hints' | 'metadata'>,
  env: ExecutionEnvironment,
  { userGuidanceFile = join(findHomeFolder(), GUIDANCE_FILE), depthBelowRoot = 0 }: GatherOptions = {},
): Promise<Guidance[]> {
  const user = userGuidanceFile ? await readUserFile(userGuidanceFile) : undefined;
  const texts: Guidance[] = user ? [{ path: '~/AGENTS.md', text: user }] : [];
  const above = Array.from({ length: depthBelowRoot }, (_, index) => '../'.repeat(depthBelowRoot - index));
  for (const folder of [...above, ...listTaskFolders(task)]) {
    const path = posix.join(folder, GUIDANCE_FILE);
    const text = await readWorkspaceFile(env, path);
    if (text) texts.push({ path, text });
  }
  return limitTexts(texts);
}

/** Returns the root and every folder on the path to the hinted files or to the task's folder, upper folders first. */
export function listTaskFolders(task: Pick<Task, 'file_hints' | 'metadata'>): string[] {
  const folder = task.metadata.working_dir;
  const targets = [
    ...(typeof folder === 'string' ? [folder] : []),
    ...task.file_hints.map((hint) => posix.dirname(typeof hint === 'string' ? hint : hint.path)),
  ];
  const folders = new Set(['.']);
  for (const target of targets) {
    const path = posix.normalize(target.replaceAll('\\', '/'));
    if (path.startsWith('/') || path.startsWith('..')) continue;
    const names = path.split('/').filter((name) => name !== '' && name !== '.');
    for (let depth = 1; depth <= names.length; depth++) folders.add(names.slice(0, depth).join('/'));
  }
  const depthOf = (path: string) => (path === '.' ? 0 : path.split('/').length);
  return [...folders].sort((a, b) => depthOf(a) - depthOf(b)).slice(0, MAX_GUIDANCE_FOLDERS);
}

function limitTexts(texts: readonly Guidance[]): Guidance[] {
  let leftBytes = MAX_GUIDANCE_BYTES;
  const keptTexts: Guidance[] = [];
  for (const { path, text } of texts.toReversed()) {
    if (leftBytes <= 0) break;
    const cut = cutBytes(text, leftBytes);
    leftBytes -= Buffer.byteLength(cut);
    keptTexts.unshift({ path, text: cut });
  }
  return keptTexts;
}

/** Returns at most the first `maxBytes` bytes of a text, without splitting a character. */
function cutBytes(text: string, maxBytes: number): string {
  const bytes = Buffer.from(text);
  if (bytes.length <= maxBytes) return text;
  let end = maxBytes;
  while (end > 0 && ((bytes[end] ?? 0) & 0xc0) === 0x80) end--;
  return bytes.toString('utf8', 0, end);
}

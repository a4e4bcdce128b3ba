/**
 * The other names by which models know the standard tools and their arguments.
 * Pure and without heavy imports, since the parser reads it too. An alias never hides a real name: a tool's own
 * argument keeps its meaning, and a call that gives both keeps the canonical one.
 */

/** The standard tools in the fixed order in which they are sent to the model. */
export const STANDARD_TOOL_NAMES = [
  'read_file',
  'write_file',
  'edit_file',
  'apply_patch',
  'shell',
  'grep',
  'glob',
  'list_directory',
  'update_plan',
] as const;
export type StandardToolName = (typeof STANDARD_TOOL_NAMES)[number];

const NAME_ALIASES: Record<StandardToolName, string> = {
  read_file: 'read view cat open_file view_file file_read get_file read_text_file get_file_contents',
  write_file: 'write create create_file save_file file_write write_to_file new_file overwrite_file',
  edit_file:
    'edit replace str_replace search_replace search_and_replace string_replace replace_in_file file_edit modify_file update_file replace_string_in_file',
  apply_patch: 'patch patch_file',
  shell:
    'run_command shell_exec bash execute_command exec execute run sh cmd terminal console shell_command run_shell run_shell_command execute_shell_command run_terminal_cmd run_terminal_command run_in_terminal exec_command execute_bash run_bash bash_command local_shell container_exec',
  grep: 'search_files search rg ripgrep grep_search search_code code_search search_file_content search_text search_in_files find_in_files grep_files content_search',
  glob: 'find_files file_search find glob_files glob_search glob_file_search search_file_names find_by_name',
  list_directory:
    'list_dir ls dir list_files list_folder tree read_directory read_dir readdir view_directory directory_tree list_directory_contents',
  update_plan: 'plan plan_update set_plan edit_plan',
};

/** Case and separators carry no meaning: `ReadFile`, `read-file` and `READ_FILE` are one name. */
const fold = (name: string): string => name.toLowerCase().replace(/[^a-z0-9]/g, '');

const canonicalByFoldedName = new Map<string, StandardToolName>(
  STANDARD_TOOL_NAMES.flatMap((canonical) =>
    [canonical, ...NAME_ALIASES[canonical].split(' ')].map((name) => [fold(name), canonical] as const),
  ),
);

const FINISHING_NAMES = new Set(
  (
    'final_answer final_response attempt_completion finish finish_task task_complete task_completed complete_task ' +
    'complete task_done done submit submit_answer respond'
  )
    .split(' ')
    .map(fold),
);

/** Whether a model that knows no such tool means by `name` that it is done: other harnesses have a tool for that. */
export const isFinishingName = (name: string): boolean =>
  typeof name === 'string' && name.length <= MAX_NAME_CHARS && FINISHING_NAMES.has(fold(name));

/** A name longer than this is no tool's, and is not worth folding. */
const MAX_NAME_CHARS = 200;

/**
 * The name among `known` (default: the standard tools) that `name` means, or undefined. An exact name wins over one
 * in other case or separators, that over an alias, that over the last part of a qualified name (`functions.shell`).
 */
export function resolveToolName(
  name: string,
  known: Iterable<string> = STANDARD_TOOL_NAMES,
): string | undefined {
  if (typeof name !== 'string' || name.length > MAX_NAME_CHARS) return undefined;
  const names = known instanceof Set ? (known as Set<string>) : new Set(known);
  if (names.has(name)) return name;
  const wanted = fold(name);
  if (wanted === '') return undefined;
  for (const candidate of names) if (fold(candidate) === wanted) return candidate;
  const canonical = canonicalByFoldedName.get(wanted);
  if (canonical !== undefined && names.has(canonical)) return canonical;
  const lastPart = name.split(/[.:/]|__/).at(-1) ?? name;
  return lastPart === name ? undefined : resolveToolName(lastPart, names);
}

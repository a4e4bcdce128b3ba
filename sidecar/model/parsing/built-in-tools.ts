/**
 * The types of the standard tools' parameters, for callers that name no tools. A table of its own,
 * because importing the registry would tie reading an answer to everything that the tools need; a test keeps the
 * two in step.
 */
import type { StandardToolName } from '../../tools/aliases.ts';

const text = { type: 'string' };
const integer = { type: 'integer' };
const boolean = { type: 'boolean' };
const list = { type: 'array', items: text };
const decisions = { type: 'array', items: {} };

function schema(properties: Record<string, object>): Record<string, unknown> {
  return { type: 'object', properties };
}

export const builtInTools: Readonly<Record<StandardToolName, Record<string, unknown>>> = {
  read_file: schema({ file_path: text, offset: integer, limit: integer }),
  write_file: schema({ file_path: text, content: text }),
  edit_file: schema({ file_path: text, old_string: text, new_string: text, replace_all: boolean }),
  apply_patch: schema({ patch: text }),
  shell: schema({ command: text, timeout_ms: integer, working_dir: text }),
  grep: schema({
    pattern: text,
    path: text,
    include: text,
    case_sensitive: boolean,
    max_results: integer,
  }),
  glob: schema({ pattern: text, path: text }),
  list_directory: schema({ path: text, recursive: boolean, pattern: text }),
  update_plan: schema({
    goal: text,
    status: text,
    acceptance_criteria: list,
    criteria_completed: list,
    decisions_made: decisions,
    decisions_rejected: decisions,
  }),
};

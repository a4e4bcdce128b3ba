/**
 * What the parser knows of the standard tools when a caller names none (tools.md): the types of their parameters
 * that are not plain text, with the other names that models use. A table of its own, because importing the
 * registry would tie reading an answer to everything that the tools need; a test keeps the two in step.
 */
const integer = { type: 'integer' };
const boolean = { type: 'boolean' };
const text = { type: 'string' };

function schema(properties: Record<string, object>): object {
  return { type: 'object', properties };
}

const path = { file_path: text, path: text, filename: text, filepath: text, file: text };
const shell = schema({
  command: text,
  cmd: text,
  timeout_ms: integer,
  timeout: integer,
  working_dir: text,
  cwd: text,
});
const readFile = schema({
  ...path,
  offset: integer,
  limit: integer,
  start_line: integer,
  end_line: integer,
});
const writeFile = schema({ ...path, content: text, contents: text });
const editFile = schema({
  ...path,
  old_string: text,
  new_string: text,
  old_str: text,
  new_str: text,
  replace_all: boolean,
});
const grep = schema({
  pattern: text,
  query: text,
  path: text,
  include: text,
  file_pattern: text,
  glob_filter: text,
  case_sensitive: boolean,
  case_insensitive: boolean,
  max_results: integer,
});
const listDirectory = schema({ path: text, directory: text, recursive: boolean, pattern: text });

/** Parameter schemas by tool name and alias, all in the form that `simpleName` gives. */
export const builtInTools: ReadonlyMap<string, object> = new Map([
  ['readfile', readFile],
  ['writefile', writeFile],
  ['createfile', writeFile],
  ['editfile', editFile],
  ['replace', editFile],
  ['strreplace', editFile],
  ['applypatch', schema({ patch: text })],
  ['shell', shell],
  ['runcommand', shell],
  ['shellexec', shell],
  ['bash', shell],
  ['executecommand', shell],
  ['grep', grep],
  ['searchfiles', grep],
  ['glob', schema({ pattern: text, path: text })],
  ['listdirectory', listDirectory],
  ['listdir', listDirectory],
  ['ls', listDirectory],
  ['updateplan', schema({})],
]);

/** Names that mean the same tool, in the form that `simpleName` gives: alias → tool. */
export const builtInAliases: ReadonlyMap<string, string> = new Map([
  ['runcommand', 'shell'],
  ['shellexec', 'shell'],
  ['bash', 'shell'],
  ['executecommand', 'shell'],
  ['searchfiles', 'grep'],
  ['listdir', 'listdirectory'],
  ['ls', 'listdirectory'],
  ['replace', 'editfile'],
  ['strreplace', 'editfile'],
  ['createfile', 'writefile'],
]);

/** A name without case and separators, the way the registry compares names (tools.md). */
export function simpleName(name: string): string {
  return name.toLowerCase().replace(/[\s_.-]/g, '');
}

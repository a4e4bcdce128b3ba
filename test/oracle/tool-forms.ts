/** A solution handed in by the calls of a loop: what is read first, then what changes each file. */
import type { ScenarioInput } from '../../sidecar/model/scripted/scenario.ts';
import { passagesOf, type SolvedFile, type SolvedTask } from './solved-task.ts';

export const TOOL_FORMS = ['write_file', 'edit_file', 'apply_patch'] as const;
export type ToolForm = (typeof TOOL_FORMS)[number];

interface Call {
  name: string;
  arguments: Record<string, unknown>;
}

type Turns = NonNullable<ScenarioInput['turns']>;

/** One call a turn, as a model does that looks at each result. */
export function callsBy(form: ToolForm, { files }: SolvedTask): Turns {
  const read = files.flatMap(({ path, before }): Call[] =>
    before === undefined ? [] : [{ name: 'read_file', arguments: { file_path: path } }],
  );
  const changes = form === 'apply_patch' ? [patchOf(files)] : files.flatMap((file) => CHANGES[form](file));
  const turns = [...read, ...changes].map((call) => ({ reply: { tool_calls: [call] } }));
  return [...turns, { reply: { content: 'Done: the change is made.' }, repeat: 'always' }];
}

const CHANGES = {
  write_file: (file: SolvedFile): Call[] =>
    file.after === undefined
      ? [patchOf([file])]
      : [{ name: 'write_file', arguments: { file_path: file.path, content: file.after } }],
  edit_file: (file: SolvedFile): Call[] => {
    if (file.after === undefined) return [patchOf([file])];
    if (file.before === undefined) return CHANGES.write_file(file);
    return passagesOf(file).map(({ search, replace }) => ({
      name: 'edit_file',
      arguments: { file_path: file.path, old_string: search, new_string: replace },
    }));
  },
};

/** In the format that `apply_patch` is named for. */
function patchOf(files: readonly SolvedFile[]): Call {
  const operations = files.map((file) => {
    const { path, before, after } = file;
    if (after === undefined) return `*** Delete File: ${path}`;
    if (before === undefined) return `*** Add File: ${path}\n${signed(after, '+')}`;
    const chunks = passagesOf(file).map(
      ({ search, replace }) => `@@\n${signed(search, '-')}\n${signed(replace, '+')}`,
    );
    return `*** Update File: ${path}\n${chunks.join('\n')}`;
  });
  const patch = ['*** Begin Patch', ...operations, '*** End Patch'].join('\n');
  return { name: 'apply_patch', arguments: { patch } };
}

const signed = (text: string, sign: string): string =>
  text === ''
    ? ''
    : text
        .replace(/\n$/u, '')
        .split('\n')
        .map((line) => sign + line)
        .join('\n');

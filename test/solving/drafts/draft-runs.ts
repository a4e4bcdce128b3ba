/** A repository whose one function is wrong, and runs of the task to mend it with scripted drafts. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach } from '@jest/globals';
import type { TaskInput } from '../../../sidecar/base/protocol/task.ts';
import type { ScenarioInput } from '../../../sidecar/model/scripted/scenario.ts';
import { chatsOf, say, testModel, verbatim } from '../../support/scripted-model.ts';
import { execute, type RunOptions } from '../../support/scripted-run.ts';
import { tempFolders } from '../../support/temp-folder.ts';

export type Turns = NonNullable<ScenarioInput['turns']>;

export const WRONG = 'export function add(a, b) {\n  return a - b;\n}\n';
/** Whether `add` adds. Most tests run it many times, so it starts no program but the shell's. */
export const CHECK = `grep -q 'a + b' src/add.js || { echo 'not ok 1 - adds'; exit 1; }`;
/** The same, from running the code; for code that may run for ever. */
export const RUNNING_CHECK = `node -e "import('./src/add.js').then(({ add }) => { if (add(1, 2) !== 3) { console.log('not ok 1 - adds'); process.exit(1); } })"`;
export const task = {
  description: 'add(1, 2) returns -1; it should return 3.',
  file_hints: ['src/add.js'],
  verification_steps: [{ type: 'command_succeeds' as const, target: CHECK }],
};

/** A draft by definition. */
export const answer = (body: string, said = 'It does the wrong thing.') =>
  verbatim(`${said}\n\n\`\`\`js\n// src/add.js\nexport function add(a, b) {\n  ${body}\n}\n\`\`\``);
export const right = answer('return a + b;', 'It subtracts.');
/** A call that the server refuses. */
export const refused = {
  ...right,
  faults: [{ kind: 'status' as const, status: 400, body: 'no', times: 'always' as const }],
};
export const nothing = say('That is all.');

/** Answers to the question for drafts, by their number, and the turns of the loop after them. */
export const script = (drafts: Turns, loop: Turns): ScenarioInput => ({
  models: [{ name: 'm' }],
  scripts: [{ name: 'drafts', when: { system: 'You change the code' }, position: 'seed', turns: drafts }],
  turns: loop,
});

export interface DraftRunOptions extends Partial<Omit<RunOptions, 'task'>> {
  task?: Partial<TaskInput>;
}

/** Call it once at the top of a test file. */
export function draftRuns() {
  const folder = tempFolders();
  let dir = '';
  beforeEach(() => {
    dir = folder();
    mkdirSync(join(dir, 'src'));
    writeFileSync(join(dir, 'package.json'), '{"type":"module"}\n');
    writeFileSync(join(dir, 'src/add.js'), WRONG);
  });

  async function run(
    drafts: Turns,
    loop: Turns = [{ ...nothing, repeat: 'always' }],
    options: DraftRunOptions = {},
  ) {
    const server = await testModel(script(drafts, loop));
    const { result, events } = await execute({
      server,
      dir,
      ...options,
      config: {
        solving: { strategy: 'auto', drafts: 4, repairs: 0 },
        brief: { seconds: 15 },
        ollama: { slots: 1 },
        ...options.config,
      },
      task: { ...task, ...options.task },
    });
    const rows = events.filter(({ tool_name, phase }) => tool_name === 'draft' && phase === 'finished');
    return { result, events, rows, chats: chatsOf(server) };
  }

  return {
    folder,
    run,
    /** The repository of this test. */
    dir: () => dir,
    source: () => readFileSync(join(dir, 'src/add.js'), 'utf8'),
    writeSource: (text: string) => writeFileSync(join(dir, 'src/add.js'), text),
  };
}

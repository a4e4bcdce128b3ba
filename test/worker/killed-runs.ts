/**
 * Tasks of every kind whose worker is killed once, at a write of its journal or at a moment, and started again. Each run has
 * its own hub, model and worker, so that several can run at once.
 */
import { spawn, type ChildProcess } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import Sqlite from 'better-sqlite3';
import type { ConfigInput } from '../../sidecar/base/config/schema.ts';
import type { TaskResult } from '../../sidecar/base/protocol/result.ts';
import { CALL_PREFIX } from '../../sidecar/solving/task/journal.ts';
import type { ScenarioInput } from '../../sidecar/model/scripted/scenario.ts';
import { exitOf, outputOf } from '../support/child-program.ts';
import { loopAlone } from '../support/loop-alone.ts';
import {
  calls,
  isChat,
  json,
  planning,
  say,
  verbatim,
  type ChatBody,
  type NamedCall,
} from '../support/scripted-model.ts';
import { startSystem, type TestSystem } from '../support/sidecar.ts';
import { git, repository, temporaryFolder } from '../workspace/repositories.ts';

/** How long one answer of the model takes. */
const ANSWER_MS = 15;
const POLL_MS = 2;

export interface KillStory {
  name: string;
  /** `log`: a file outside of the tree that calls with outside effects write to. */
  scenario: (log: string) => ScenarioInput;
  config?: (log: string) => ConfigInput;
  task?: Record<string, unknown>;
  /** Shell condition that the result meets. */
  passes: string;
  /** Sent to the task at its first question. */
  steer?: string;
  /** Given to each question of the task. */
  answer?: string;
}

type Turns = NonNullable<ScenarioInput['turns']>;
const slow = (turns: Turns): Turns => turns.map((turn) => ({ ...turn, delayMs: ANSWER_MS }));
const last = (text: string) => ({ ...say(text), repeat: 'always' as const });
const shell = (command: string): NamedCall => ['shell', { command }];
const write = (name: string, content: string): NamedCall => [
  'write_file',
  { file_path: name, content, overwrite: true },
];
const edit = (from: string, to: string): NamedCall => [
  'edit_file',
  { file_path: 'src/add.js', old_string: from, new_string: to },
];
const answer = (body: string) =>
  verbatim(`It is wrong.\n\n\`\`\`js\n// src/add.js\nexport function add(a, b) {\n  ${body}\n}\n\`\`\``);
const draftScript = (drafts: Turns, loop: Turns): ScenarioInput => ({
  scripts: [
    { name: 'drafts', when: { system: 'You change the code' }, position: 'seed', turns: slow(drafts) },
  ],
  turns: slow(loop),
});
const drafting: ConfigInput = {
  solving: { strategy: 'auto', drafts: 3, repairs: 0 },
  brief: { seconds: 15 },
};

export const KILL_STORIES: readonly KillStory[] = [
  {
    name: 'loop',
    scenario: () => ({
      turns: slow([
        calls(shell('echo one >> done.txt'), ['glob', { pattern: '*' }]),
        calls(write('b.txt', 'b\n'), shell('cat b.txt >> done.txt; sleep 0.02')),
        calls(shell('echo three >> done.txt'), edit('a - b', 'a + b')),
        last('All done.'),
      ]),
    }),
    passes: "test $(wc -l < done.txt) = 3 && grep -q 'a + b' src/add.js",
  },
  {
    name: 'corrections',
    scenario: () => ({
      turns: slow([
        calls(edit('a - b', 'a * b')),
        say('Done.'),
        calls(edit('a * b', 'b * a')),
        say('Now it is right.'),
        calls(edit('b * a', 'a + b')),
        last('Now.'),
      ]),
    }),
    task: { max_verification_retries: 3 },
    // Each report differs: a correction is not repeated word for word.
    passes: "cat src/add.js; grep -q 'a + b' src/add.js",
  },
  {
    name: 'drafts',
    scenario: () =>
      draftScript([answer('return a * b;'), answer('return b - a;'), answer('return a + b;')], [last('No.')]),
    config: () => drafting,
    passes: "grep -q 'a + b' src/add.js",
  },
  {
    name: 'drafts, then loop',
    scenario: () =>
      draftScript(
        [answer('return a * b;'), answer('return Math.max(a, b);'), answer('return b;')],
        [
          calls(write('src/add.js', 'export const add = (a, b) => a + b;\n'), shell('echo x >> done.txt')),
          last('It adds.'),
        ],
      ),
    config: () => drafting,
    passes: "grep -q 'a + b' src/add.js",
  },
  {
    name: 'attempts',
    scenario: () => ({
      scripts: [
        {
          name: 'second',
          when: { contains: '- Attempt 1 ' },
          turns: slow([calls(edit('a - b', 'a + b')), last('Second.')]),
        },
        {
          name: 'first',
          when: {},
          turns: slow([calls(edit('a - b', 'a * b'), shell('echo x >> done.txt')), last('First.')]),
        },
      ],
    }),
    task: { metadata: { attempts: 2 }, max_verification_retries: 0 },
    passes: "grep -q 'a + b' src/add.js",
  },
  {
    name: 'planned',
    scenario: () => ({
      rules: planning(
        ['Look', 'Change', 'Check'].map((description) => ({ description })),
        { log_entry: { action: 'All done', result: 'It works.', tools_used: ['shell'] } },
      ).map((rule) => ({ ...rule, delayMs: ANSWER_MS })),
      turns: slow([
        calls(['glob', { pattern: '*' }], shell('echo one >> done.txt')),
        say('Looked.'),
        calls(edit('a - b', 'a + b'), ['update_plan', { decisions_made: [{ title: 'Append' }] }]),
        calls(['update_plan', { criteria_completed: ['it adds'] }]),
        say('Changed.'),
        calls(shell('cat src/add.js')),
        last('Checked.'),
      ]),
    }),
    task: { workflow: 'planned', success_criteria: ['it adds'] },
    passes: "grep -q 'a + b' src/add.js && test $(wc -l < done.txt) = 1",
  },
  {
    name: 'approvals',
    scenario: () => ({
      turns: slow([
        calls(shell('echo one >> done.txt')),
        json({ request_approval: 'Tabs or spaces?' }),
        calls(write('b.txt', 'tabs\n')),
        json({ request_approval: 'And semicolons?' }),
        calls(shell('echo two >> done.txt')),
        last('Done.'),
      ]),
    }),
    config: () => ({ model: { default: 'm', toolMode: 'structured' }, approval: { question: 'hub' } }),
    answer: 'Tabs, of course.',
    passes: 'test $(wc -l < done.txt) = 2 && grep -q tabs b.txt',
  },
  {
    name: 'steering',
    scenario: () => ({
      turns: slow([
        calls(shell('echo one >> done.txt')),
        calls(write('b.txt', 'b\n')),
        calls(shell('echo two >> done.txt; sleep 0.05')),
        last('Done.'),
      ]),
    }),
    steer: 'Mind the gap.',
    passes: 'test $(wc -l < done.txt) = 2',
  },
  {
    name: 'MCP and own tools',
    scenario: () => ({
      turns: slow([
        calls(['notes_publish', { said: 'mcp-1' }], write('b.txt', 'b\n')),
        calls(['announce', { what: 'own-1' }], shell('echo one >> done.txt')),
        calls(['notes_publish', { said: 'mcp-2' }], ['announce', { what: 'own-2' }]),
        last('Done.'),
      ]),
    }),
    config: (log) => ({
      tools: {
        mcp: {
          notes: {
            command: 'node',
            args: [resolve('test/tools/mcp/server-program.mjs')],
            env: { EFFECTS: log },
            only: ['publish'],
          },
        },
        own: [
          {
            name: 'announce',
            description: 'Announces',
            parameters: { properties: { what: { type: 'string' } }, required: ['what'] },
            command: ['sh', '-c', `echo "$1" >> ${log}; echo "announced $1"`, 'sh', '{what}'],
          },
        ],
      },
      sandbox: { mode: 'off' },
    }),
    passes: 'test -f b.txt && test -f done.txt',
  },
  {
    name: 'commands without a sandbox',
    scenario: (log) => {
      const out = (id: string) => shell(`echo ${id} | tee -a ${log} done.txt; sleep 0.02`);
      return {
        turns: slow([
          calls(out('cmd-1'), out('cmd-2')),
          calls(out('cmd-3'), write('b.txt', 'b\n')),
          calls(out('cmd-4')),
          last('Done.'),
        ]),
      };
    },
    config: () => ({ sandbox: { mode: 'off' } }),
    passes: 'test -f b.txt && grep -q cmd done.txt',
  },
];

/** When the worker is killed: `delayMs` after the n-th write, or some time after the submission. */
export type KillMoment = { write: number; delayMs: number } | { atMs: number };

export interface StoryRun {
  /** The result without what differs between runs by nature, and git's id of its tree. */
  outcome: Record<string, unknown>;
  /** Lines of outside effects, in order. */
  effects: string[];
  /** The conversation of the last question. */
  lastMessages: string[];
  questions: number;
  tookMs: number;
  /** Number of writes of the journal, and of checks that ran among them. */
  writes: number;
  checks: number;
  kill?: Kill;
}

export interface Kill {
  /** Kind and stage of the last write before it. */
  after: string;
  /** Questions that were asked although their answers were recorded. */
  askedTwice: number;
  /** Outside calls that had begun and had no result. */
  unknownCalls: number;
  /** From the start of the second worker to its first question; undefined if it asked none. */
  nextQuestionMs: number | undefined;
}

interface Row {
  id: number;
  kind: string;
  stage: string;
  round: number;
}

const FILES = {
  '.gitignore': 'pids\n',
  'package.json': '{"type":"module"}\n',
  'src/add.js': 'export function add(a, b) {\n  return a - b;\n}\n',
};
const pause = (ms: number): Promise<void> => new Promise((fulfil) => setTimeout(fulfil, ms));

/** Runs a task of the story, with a check that takes `seconds`, and kills its worker at the moment, if any. */
export async function runStory(story: KillStory, seconds: number, moment?: KillMoment): Promise<StoryRun> {
  const log = join(temporaryFolder(), 'effects.log');
  const system = await startSystem(story.scenario(log), { maxAttempts: 10 });
  const run = new Run(system, story, log);
  try {
    return await run.live(seconds, moment);
  } finally {
    await run.end();
  }
}

class Run {
  readonly #system: TestSystem;
  readonly #story: KillStory;
  readonly #log: string;
  readonly #answered = new Set<string>();
  #child: ChildProcess | undefined;
  #steered: Promise<unknown> | undefined;

  constructor(system: TestSystem, story: KillStory, log: string) {
    this.#system = system;
    this.#story = story;
    this.#log = log;
  }

  async live(seconds: number, moment?: KillMoment): Promise<StoryRun> {
    const { client } = this.#system;
    const repo = repository(FILES);
    const config = await this.#config();
    await this.#start(config);
    const target = `sleep ${String(seconds).padStart(2, '0')}; ${this.#story.passes}`;
    const { task_id: id } = await client.submit({
      description: 'add(1, 2) returns -1; it should return 3. Change src/add.js.',
      agentic: true,
      repo,
      file_hints: ['src/add.js'],
      verification_steps: [{ type: 'command_succeeds', target }],
      ...this.#story.task,
      metadata: { max_iterations: 30, ...(this.#story.task?.metadata as object) },
    });
    const beganMs = performance.now();
    const watch = new JournalWatch(join(this.#system.dir, 'w1', 'state.sqlite'));
    const ended = this.#untilEnded(id);
    let kill: Kill | undefined;
    try {
      if (moment) kill = await this.#kill(config, watch, moment, beganMs, ended);
      else void watch.until(() => false, ended);
      const { result } = await ended;
      const tookMs = performance.now() - beganMs;
      const { rows } = watch;
      const lastMessages = (this.#questions().at(-1)?.messages ?? []).map(({ content }) => content);
      return {
        outcome: outcomeOf(result as unknown as TaskResult, repo),
        effects: this.#effects(),
        lastMessages,
        questions: this.#questions().length,
        tookMs,
        writes: rows.length,
        checks: rows.filter(({ stage }) => stage.startsWith('check ')).length,
        ...(kill && { kill }),
      };
    } finally {
      watch.close();
    }
  }

  async end(): Promise<void> {
    this.#child?.kill('SIGKILL');
    await this.#system.cleanup.close();
  }

  async #config(): Promise<ConfigInput> {
    const { hub, model, dir } = this.#system;
    const token = await hub.issueToken('worker', 'w1');
    return {
      ...loopAlone,
      hub: { url: hub.wsUrl, agentId: 'w1', token },
      ollama: { url: model.url },
      model: { default: 'm' },
      sandbox: { mode: 'required' },
      worker: { stateDir: join(dir, 'w1'), dataDir: join(dir, 'data') },
      ...this.#story.config?.(this.#log),
    };
  }

  async #start(config: ConfigInput): Promise<void> {
    this.#child = spawn(process.execPath, ['test/support/worker-program.mjs', JSON.stringify(config)], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    await outputOf(this.#child, 'ready');
  }

  /** Waits for the task's end, and does what its users do until then. */
  #untilEnded(id: string): ReturnType<TestSystem['untilEnded']> {
    const system = this.#system;
    const { steer, answer } = this.#story;
    if (steer !== undefined)
      this.#steered = system.model.waitForRequest(isChat).then(() => system.client.steer(id, steer));
    return system.untilEnded(id, async ({ kind, body }) => {
      const approval = String(body.approval_id);
      if (kind !== 'approval' || body.status !== 'pending' || this.#answered.has(approval)) return;
      this.#answered.add(approval);
      await pause(20);
      // A question that its worker took with it is asked again.
      await system
        .answer(id, { approval_id: approval, decision: 'corrected', text: answer ?? '' })
        .catch(() => undefined);
    });
  }

  async #kill(
    config: ConfigInput,
    watch: JournalWatch,
    moment: KillMoment,
    beganMs: number,
    ended: Promise<unknown>,
  ): Promise<Kill | undefined> {
    const isOver =
      'atMs' in moment
        ? await watch.until(() => performance.now() - beganMs >= moment.atMs, ended)
        : await watch.until(() => watch.rows.length >= moment.write, ended);
    if (isOver) return undefined;
    if ('write' in moment) await pause(moment.delayMs);
    const child = this.#child;
    if (!child) return undefined;
    const gone = exitOf(child);
    child.kill('SIGKILL');
    await gone;
    watch.look();
    // Before the first question nothing steers the task.
    if (this.#questions().length > 0) await this.#steered;
    const { rows } = watch;
    const after = nameOf(rows.at(-1));
    const count = (kind: string, stage = '') =>
      rows.filter((row) => row.kind === kind && row.stage.startsWith(stage)).length;
    const unknownCalls = count('intent', CALL_PREFIX) - count('result', CALL_PREFIX);
    const asked = this.#questions().length;
    const underWay = asked - count('answer');
    const restartedMs = Date.now();
    await this.#start(config);
    await watch.until(() => false, ended);
    const next = this.#system.model.requests.filter(isChat)[asked];
    return {
      after,
      // Only the questions without an answer at the kill are asked again.
      askedTwice: Math.max(0, this.#questions().length - count('answer') - underWay),
      unknownCalls,
      nextQuestionMs: next && next.atMs - restartedMs,
    };
  }

  #questions(): ChatBody[] {
    return this.#system.model.requests.filter(isChat).map(({ body }) => body as ChatBody);
  }

  #effects(): string[] {
    return existsSync(this.#log) ? readFileSync(this.#log, 'utf8').split('\n').filter(Boolean) : [];
  }
}

const nameOf = (row?: Row): string =>
  row ? `${row.kind} ${row.stage.replaceAll(/[\da-f]{64}/gu, '').trim()}`.trim() : 'nothing';

/** Watches the journal in the worker's database. */
class JournalWatch {
  /** All rows so far; the task's end removes them from the database. */
  readonly rows: Row[] = [];
  readonly #file: string;
  #db: Sqlite.Database | undefined;
  #select: Sqlite.Statement<[number], Row> | undefined;

  constructor(file: string) {
    this.#file = file;
  }

  look(): void {
    if (!this.#select) {
      this.#db = new Sqlite(this.#file, { readonly: true });
      this.#select = this.#db.prepare('SELECT id, kind, stage, round FROM journal WHERE id > ? ORDER BY id');
    }
    // Ids of removed rows may be given again.
    const rows = this.#select.all(this.rows.at(-1)?.id ?? 0);
    this.rows.push(...rows);
  }

  /** Looks until the condition is met, or `end` is settled: then returns true. */
  async until(isMet: () => boolean, end: Promise<unknown>): Promise<boolean> {
    const ended = end.then(
      () => true,
      () => true,
    );
    for (;;) {
      this.look();
      if (isMet()) return false;
      if (await Promise.race([ended, pause(POLL_MS)])) return true;
    }
  }

  close(): void {
    this.#db?.close();
  }
}

function outcomeOf(result: TaskResult, repo: string): Record<string, unknown> {
  const { changes, plan } = result;
  return {
    status: result.status,
    reason: result.termination_reason,
    verification: result.verification_status,
    runs: result.verification_attempts,
    iterations: result.iterations_used,
    output: result.output,
    completed: result.completed?.map((text) => text.replace(/^sleep \d\d/u, 'sleep')),
    remaining: result.remaining?.length,
    files: changes?.files.map(({ path }) => path),
    tree: changes?.branch ? git(repo, 'rev-parse', `${changes.branch}^{tree}`) : '',
    plan: plan?.replaceAll(/\d{4}-\d\d-\d\d[T ][\d:.]+Z?/gu, 'TIME'),
  };
}

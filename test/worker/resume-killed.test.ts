import { spawn, type ChildProcess } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { ConfigInput } from '../../sidecar/base/config/schema.ts';
import type { ChatMessage } from '../../sidecar/model/chat.ts';
import { openStateDatabase } from '../../sidecar/base/storage/state-database.ts';
import { createTaskJournal } from '../../sidecar/base/storage/task-journal.ts';
import { cleanUp, git, repository } from '../workspace/repositories.ts';
import { exitOf, outputOf } from '../support/child-program.ts';
import { randomFrom } from '../support/random.ts';
import { countOf, seedOf } from '../support/scale.ts';
import { calls, chatsOf, say, type NamedCall } from '../support/scripted-model.ts';
import { startSystem, type TestSystem } from '../support/sidecar.ts';

/** The worker's process runs the built library. */
const BUILT = existsSync('dist/index.js');
const KILLS = countOf('KILL_RUNS', { quick: 3, full: 60 });
const SEED = seedOf('TEST_SEED');
const ROUNDS = 5;
const UNKNOWN = 'interrupted, outcome unknown';

let system: TestSystem;
const outside = mkdtempSync(join(tmpdir(), 'sidecar-killed-'));
const log = join(outside, 'effects.log');
let repo: string;
let config: ConfigInput;
let child: ChildProcess;

beforeAll(async () => {
  // Round n writes the ids <task>-n-a and <task>-n-b; a command takes long enough to be killed in.
  const round = (n: number) => {
    const shell = (id: string): NamedCall => [
      'shell',
      { command: `echo {{firstUser|task-\\d+}}-${n}-${id} | tee -a ${log} done.txt; sleep 0.03` },
    ];
    return { ...calls(shell('a'), ['glob', { pattern: '*' }], shell('b')), delayMs: 10 };
  };
  system = await startSystem(
    { turns: [...Array.from({ length: ROUNDS }, (_value, index) => round(index + 1)), say('All done.')] },
    { maxAttempts: 10 },
  );
  repo = repository();
  const token = await system.hub.issueToken('worker', 'w1');
  config = {
    hub: { url: system.hub.wsUrl, agentId: 'w1', token },
    ollama: { url: system.model.url },
    model: { default: 'm' },
    sandbox: { mode: 'off' },
    worker: { stateDir: join(system.dir, 'w1'), dataDir: join(system.dir, 'data') },
  };
  child = await startChild();
}, 60_000);
afterAll(async () => {
  child?.kill('SIGKILL');
  await system.cleanup.close();
  cleanUp();
  rmSync(outside, { recursive: true, force: true });
});

async function startChild(): Promise<ChildProcess> {
  const started = spawn(process.execPath, ['test/support/worker-program.mjs', JSON.stringify(config)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  await outputOf(started, 'ready');
  return started;
}

const effectsOf = async (task: string): Promise<string[]> =>
  (await readFile(log, 'utf8').catch(() => '')).split('\n').filter((id) => id.startsWith(`${task}-`));

const chatsAbout = (task: string) =>
  chatsOf(system.model).filter(({ messages }) =>
    messages.some(({ content }) => content.includes(`${task} `)),
  );

interface AnsweredCall {
  name: string;
  args: string;
  answer: string;
}

/** Every call of a conversation with what follows it in its place; fails where a call has no answer. */
function answeredCalls(messages: readonly ChatMessage[]): AnsweredCall[] {
  return messages.flatMap((message, at) => {
    const calls = message.tool_calls ?? [];
    const answers = messages.slice(at + 1, at + 1 + calls.length);
    expect(answers.map(({ role, tool_name: tool }) => [role, tool])).toEqual(
      calls.map(({ function: { name } }) => ['tool', name]),
    );
    return calls.map(({ function: { name, arguments: args } }, index) => ({
      name,
      args: JSON.stringify(args),
      answer: answers[index]?.content ?? '',
    }));
  });
}

/** The id that a command writes. */
const effectOf = (args: string): string => /echo (task-\d+-\d+-[ab])/u.exec(args)?.[1] ?? '';

/** Lines of a file as the branch of a result holds it. */
const fileOf = (branch: string | undefined, path: string): string[] =>
  git(repo, 'show', `${branch}:${path}`).split('\n').filter(Boolean);

/** Kills the worker some milliseconds after the model was asked for the `round`-th time. */
async function killDuring(task: string, round: number, delayMs: number): Promise<void> {
  const asked = (body: unknown): boolean => {
    const { messages = [] } = (body ?? {}) as { messages?: { role: string; content: string }[] };
    const answers = messages.filter(({ role }) => role === 'assistant').length;
    return answers === round - 1 && messages.some(({ content }) => content.includes(`${task} `));
  };
  await system.model.waitForRequest(({ body }) => asked(body));
  await new Promise((resolve) => setTimeout(resolve, delayMs));
  const gone = exitOf(child);
  child.kill('SIGKILL');
  await gone;
}

/** Calls that the killed worker had begun and not ended, by its journal. */
async function callsWithoutResult(taskId: string): Promise<number> {
  const db = await openStateDatabase(join(system.dir, 'w1'));
  const entries = createTaskJournal(db, taskId).read();
  db.close();
  const isCall = ({ stage }: { stage: string }) => /^[\da-f]{64}$/u.test(stage);
  const of = (kind: string) =>
    entries
      .filter((entry) => isCall(entry) && entry.kind === kind)
      .map(({ stage, round }) => `${stage}.${round}`);
  const results = new Set(of('result'));
  return of('intent').filter((call) => !results.has(call)).length;
}

(BUILT ? describe : describe.skip)(`a worker killed at ${KILLS} random points (TEST_SEED=${SEED})`, () => {
  const random = randomFrom(SEED);
  const points = Array.from({ length: KILLS }, (_value, index) => ({
    task: `task-${index + 1}`,
    round: 1 + Math.floor(random() * (ROUNDS + 1)),
    delayMs: Math.floor(random() * 120),
  }));

  test.each(points)('$task: in round $round, after $delayMs ms', async ({ task, round, delayMs }) => {
    const { task_id: id } = await system.client.submit({
      description: `Do ${task} now`,
      agentic: true,
      repo,
      metadata: { max_iterations: 20 },
      verification_steps: [{ type: 'file_contains', target: 'done.txt', contains: task }],
    });
    await killDuring(task, round, delayMs);
    const openCalls = await callsWithoutResult(id);
    const askedBefore = chatsAbout(task).length;
    child = await startChild();
    const ended = await system.untilEnded(id);

    expect(ended).toMatchObject({ status: 'success' });
    expect(ended.result).toMatchObject({
      output: 'All done.',
      iterations_used: ROUNDS + 1,
      verification_status: 'verified',
      verification_attempts: 1,
      changes: { files: [{ path: 'done.txt' }] },
    });

    const effects = await effectsOf(task);
    expect(new Set(effects).size).toBe(effects.length);

    const chats = chatsAbout(task);
    const last = chats.at(-1)?.messages ?? [];
    const told = answeredCalls(last);
    expect(told).toHaveLength(3 * ROUNDS);
    const shell = told.flatMap(({ name, args, answer }) =>
      name === 'shell' ? [{ id: effectOf(args), isUnknown: answer.includes(UNKNOWN), answer }] : [],
    );
    // A call that was begun and has no result is told as such; every other one ran exactly once, and its answer shows it.
    expect(told.filter(({ answer }) => answer.includes(UNKNOWN))).toHaveLength(openCalls);
    const known = shell.filter(({ isUnknown }) => !isUnknown);
    for (const { id, answer } of known) expect(answer).toContain(id);
    const unexplained = effects.filter((id) => !shell.some((one) => one.id === id));
    expect(unexplained).toEqual([]);
    expect(known.map(({ id }) => id).filter((id) => !effects.includes(id))).toEqual([]);
    // What is on disk is what the log outside of it says, but for a command that was killed between its two writes.
    const changes = ended.result?.changes as { branch?: string } | undefined;
    const onDisk = fileOf(changes?.branch, 'done.txt');
    const unknown = new Set(shell.flatMap(({ id, isUnknown }) => (isUnknown ? [id] : [])));
    const certain = (ids: string[]) => ids.filter((id) => !unknown.has(id));
    expect(certain(onDisk)).toEqual(certain(effects));
    expect(onDisk.filter((id) => !effects.includes(id))).toEqual([]);
    // At most the question that was under way is asked again.
    const repeated = chats.length - (ROUNDS + 1);
    expect(repeated).toBeLessThanOrEqual(askedBefore > 0 ? 1 : 0);
  });
});

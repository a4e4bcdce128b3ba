import { readFile, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, describe, expect, test } from '@jest/globals';
import type { TaskResult } from '../../sidecar/base/protocol/result.ts';
import type { ScenarioInput } from '../../sidecar/model/scripted/scenario.ts';
import { parseChatLog } from '../../sidecar/solving/session/chat-log.ts';
import { sampleRepository } from '../support/sample-repository.ts';
import { call, chatsOf, planning, say, verbatim } from '../support/scripted-model.ts';
import { startSystem, type TestSystem } from '../support/sidecar.ts';

let system: TestSystem;
afterEach(() => system.cleanup.close());

const steps = [
  { step: 1, description: 'Read a.txt', tool: 'read_file' },
  { step: 2, description: 'Make it good', tool: 'edit_file' },
];
const summary = {
  log_entry: {
    action: 'Repaired a.txt',
    details: 'a.txt: bad → good',
    result: 'It is good.',
    tools_used: ['edit_file'],
  },
  acceptance_criteria_updates: [{ description: 'a.txt is good', completed: true }],
  decisions_made: [{ title: 'One word', rationale: 'Nothing else was wrong' }],
};
/** Plans, reads, edits, summarises. */
const repair: ScenarioInput = {
  rules: planning(steps, summary),
  turns: [
    call('read_file', { file_path: 'a.txt' }),
    say('It says bad.'),
    call('edit_file', { file_path: 'a.txt', old_string: 'bad', new_string: 'good' }),
    call('update_plan', { decisions_made: [{ title: 'Edit in place', rationale: 'small' }] }),
    say('It says good now.'),
  ],
};

const planned = (repo: string) => ({
  repo,
  description: 'Repair a.txt',
  workflow: 'planned',
  success_criteria: ['a.txt is good'],
  verification_steps: [{ type: 'file_contains', target: 'a.txt', contains: 'good' }],
});

/** Runs a task to its end; answers what it asks with `answer`. */
async function finish(
  task: object,
  answer?: { decision: string; text?: string },
): Promise<{ result: TaskResult; events: Record<string, unknown>[] }> {
  const { task_id: id } = await system.client.submit(task);
  const events: Record<string, unknown>[] = [];
  const { result } = await system.untilEnded(id, async ({ kind, body }) => {
    if (kind === 'execution') events.push(body);
    if (kind === 'approval' && body.status === 'pending' && answer) {
      await system.answer(id, { approval_id: String(body.approval_id), ...answer });
    }
  });
  return { result: result as unknown as TaskResult, events };
}

const textsOf = (events: readonly Record<string, unknown>[], type: string) =>
  events.filter(({ event_type: event }) => event === type).map(({ text }) => String(text));

const chats = () => chatsOf(system.model);

describe('a complex task', () => {
  test('is planned, done and summarised; the plan is seen while it runs and in the result', async () => {
    system = await startSystem(repair);
    await system.worker('w1');
    const { result, events } = await finish(planned(await sampleRepository(system.dir)));
    expect(result).toMatchObject({
      status: 'success',
      verification_status: 'verified',
      termination_reason: 'final_answer',
      remaining: [],
      output: 'a.txt: bad → good\n\nIt is good.',
    });
    expect(result.completed).toEqual(
      expect.arrayContaining(['Step 1: Read a.txt', 'Step 2: Make it good', 'a.txt is good']),
    );
    for (const line of [
      '**Status:** completed',
      '## Goal\nRepair a.txt',
      '- [x] a.txt is good',
      '### Edit in place',
      '### One word',
      ' - Repaired a.txt\n**Tools:** edit_file',
    ])
      expect(result.plan).toContain(line);
    const plans = textsOf(events, 'plan');
    expect(plans[0]).toBe(
      'Plan in_progress: 0 of 1 criteria done, 0 decisions made, 0 rejected; open: 1. a.txt is good\n' +
        '- [ ] 1. Read a.txt\n- [ ] 2. Make it good',
    );
    expect(plans.some((text) => text.includes('- [x] 1. Read a.txt\n- [ ] 2.'))).toBe(true);
    expect(textsOf(events, 'status')).toEqual(
      expect.arrayContaining(['Stage 1 of 3: planning with m', 'Step 2 of 2: Make it good']),
    );
  });

  test('leaves its plan and everything said in its session', async () => {
    system = await startSystem(repair);
    await system.worker('w1');
    const repo = await sampleRepository(system.dir);
    await finish(planned(repo));
    // Messages are only appended from step to step: the server has read the rest.
    const ofSteps = chats().filter(({ tools }) => tools !== undefined);
    expect(ofSteps).toHaveLength(5);
    for (const [index, { messages, tools }] of ofSteps.slice(1).entries()) {
      const before = ofSteps[index]?.messages ?? [];
      expect(messages.slice(0, before.length)).toEqual(before);
      expect(tools).toEqual(ofSteps[0]?.tools);
    }
    const plans = ofSteps.at(-1)?.messages.filter(({ content }) => content.startsWith('Plan document:'));
    expect(plans).toHaveLength(2);
    const sessions = join(system.dir, 'data', 'sessions');
    const folder = join(sessions, (await readdir(sessions))[0] ?? '');
    const document = await readFile(join(folder, 'plan_doc.md'), 'utf8');
    expect(document).toContain('**Status:** completed');
    expect(document).toContain('## Steps\n- [x] Read a.txt\n- [x] Make it good');
    const said = parseChatLog(await readFile(join(folder, 'chat_history.log'), 'utf8'));
    expect(said.filter(({ text }) => text.startsWith('Plan document:'))).toHaveLength(2);
    const calls = said.filter(({ type }) => type === 'TOOL_CALL').map(({ text }) => text);
    expect(calls.map((text) => text.split('(')[0])).toEqual(['read_file', 'edit_file', 'update_plan']);
  });

  test('has no secret in its session, nor in the plan of its result', async () => {
    process.env.DEPLOY_TOKEN = 'tr0ub4dor-and-3-more';
    system = await startSystem(repair);
    await system.worker('w1');
    const task = planned(await sampleRepository(system.dir));
    const secret = process.env.DEPLOY_TOKEN;
    const { result, events } = await finish({ ...task, description: `Log in with ${secret}` });
    delete process.env.DEPLOY_TOKEN;
    const sessions = join(system.dir, 'data', 'sessions');
    const [folder = ''] = await readdir(sessions);
    const files = await readdir(join(sessions, folder));
    expect(files.sort()).toEqual([
      'chat_history.log',
      'input.jsonl',
      'plan_doc.md',
      'requests.jsonl',
      'session.json',
    ]);
    const texts = await Promise.all(files.map((name) => readFile(join(sessions, folder, name), 'utf8')));
    for (const text of [...texts, JSON.stringify(result), JSON.stringify(events)]) {
      expect(text).not.toContain(secret);
    }
  });

  test('without a plan that can be read is one step', async () => {
    system = await startSystem({
      ...repair,
      rules: [
        { when: { firstUser: 'You plan the work' }, ...verbatim('I would rather not.') },
        { when: { firstUser: 'You keep the log' }, ...verbatim('No.') },
      ],
    });
    await system.worker('w1');
    const { result, events } = await finish({
      ...planned(await sampleRepository(system.dir)),
      success_criteria: [],
    });
    expect(result.completed).toContain('Step 1: Do the whole task: Repair a.txt');
    expect(result.plan).toContain('**Result:** 1. Do the whole task: Repair a.txt (done; tools: read_file)');
    // The first answer came too early; the checks brought the model back to work.
    expect(result.plan).toContain('**Result:** 1. Correction 1 (done; tools: edit_file, update_plan)');
    expect(textsOf(events, 'status').join('\n')).toContain(
      'No plan could be made (the answer is not a JSON object)',
    );
    expect(chats().filter(({ tools }) => tools === undefined)).toHaveLength(4);
  });

  test('whose critical step fails stops there, with what is done and what remains', async () => {
    system = await startSystem({
      ...repair,
      turns: [
        call('read_file', { file_path: 'a.txt' }),
        say('It says bad.'),
        { ...call('read_file', { file_path: 'a.txt' }), repeat: 'always' },
      ],
    });
    await system.worker('w1');
    const { result } = await finish(planned(await sampleRepository(system.dir)));
    expect(result).toMatchObject({ status: 'failed', termination_reason: 'repetition' });
    expect(result.completed).toEqual(['Step 1: Read a.txt', 'a.txt is good']);
    expect(result.remaining).toContain('Step 2: Make it good');
    expect(result.error).toContain('step 2 of 2 failed: repeated tool calls detected (read_file)');
  });

  test('goes on after a step that is not critical', async () => {
    const optional = [{ ...steps[0], critical: false }, steps[1]];
    system = await startSystem({
      rules: [
        ...planning(optional, summary),
        {
          when: { lastMessage: 'Step 2 of 2' },
          ...call('edit_file', { file_path: 'a.txt', old_string: 'bad', new_string: 'good' }),
        },
        { when: { lastMessage: 'Edited' }, ...say('Done.') },
      ],
      turns: [
        { ...call('glob', { pattern: '*' }), repeat: 2 },
        { ...call('glob', { pattern: '*' }), repeat: 'always' },
      ],
    });
    await system.worker('w1');
    const { result } = await finish(planned(await sampleRepository(system.dir)));
    expect(result).toMatchObject({ status: 'partial', verification_status: 'partial_pass' });
    expect(result.remaining).toEqual(['Step 1: Read a.txt']);
    expect(result.follow_up).toMatchObject({ metadata: { follow_up_of: expect.any(String) } });
  });

  test('is corrected with code of an answer that calls no tool', async () => {
    const code = 'The sign.\n\ncalc.mjs\n```js\nexport const add = (a, b) => a + b;\n```\n';
    system = await startSystem({
      rules: [
        ...planning([steps[0]], summary),
        { when: { lastMessage: 'The work was checked' }, ...say(code) },
      ],
      turns: [{ ...say('Read.'), repeat: 'always' }],
    });
    await system.worker('w1');
    const files = { 'calc.mjs': 'export const add = (a, b) => a - b;\n' };
    const { result } = await finish({
      ...planned(await sampleRepository(system.dir, files)),
      verification_steps: [{ type: 'file_contains', target: 'calc.mjs', contains: 'a + b' }],
    });
    expect(result).toMatchObject({ verification_status: 'verified' });
  });

  test('has its plan made by the planning model, where the catalogue names one that is installed', async () => {
    system = await startSystem({ ...repair, models: [{ name: 'm' }, { name: 'llama3.1:8b' }] });
    await system.worker('w1');
    await finish(planned(await sampleRepository(system.dir)));
    expect(chats().map(({ model }) => model)).toEqual(['llama3.1:8b', 'm', 'm', 'm', 'm', 'm', 'm']);
  });
});

describe('a summary under the policy hub', () => {
  const withPlan = async (answer: { decision: string; text?: string } | undefined, timeoutMs = 600_000) => {
    system = await startSystem(repair);
    await system.worker('w1', { approval: { summary: 'hub', timeoutMs } });
    const { result } = await finish(planned(await sampleRepository(system.dir)), answer);
    return { result, log: result.plan?.split('## Execution Log')[1]?.replaceAll(/\n {2}/g, '\n') };
  };

  test('that is accepted goes into the plan', async () => {
    const { result, log } = await withPlan({ decision: 'accepted' });
    expect(log).toContain(
      '- Repaired a.txt\n**Tools:** edit_file\n**Result:** a.txt: bad → good\nIt is good.',
    );
    expect(result.status).toBe('success');
  });

  test("that is corrected goes into the plan in the person's words", async () => {
    const { result, log } = await withPlan({ decision: 'corrected', text: 'Only the first line.' });
    expect(log).toContain('- Repaired a.txt\n**Tools:** edit_file\n**Result:** Only the first line.');
    expect(result.output).toBe('Only the first line.');
  });

  test('that is rejected becomes a plain list of steps and tools', async () => {
    const { result, log } = await withPlan({ decision: 'rejected' });
    expect(log).toContain(
      '- Worked on 2 steps\n**Tools:** read_file, edit_file, update_plan\n' +
        '**Result:** 1. Read a.txt (done; tools: read_file)\n2. Make it good (done; tools: edit_file, update_plan)',
    );
    expect(result).toMatchObject({
      status: 'partial',
      remaining: ['a.txt is good'],
      output: 'It says good now.',
    });
  });

  test('that nobody answers in time is accepted', async () => {
    const { result, log } = await withPlan(undefined, 50);
    expect(log).toContain('- Repaired a.txt\n');
    expect(result.status).toBe('success');
  });
});

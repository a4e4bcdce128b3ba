import { mkdir, readFile, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, describe, expect, test } from '@jest/globals';
import { configSchema } from '../../../sidecar/base/config/schema.ts';
import type { ScenarioInput } from '../../../sidecar/model/scripted/scenario.ts';
import { parseChatLog } from '../../../sidecar/solving/session/chat-log.ts';
import { readRequests } from '../../../sidecar/solving/session/request-log.ts';
import { pruneOldSessions } from '../../../sidecar/worker/pruning.ts';
import { silentLogger } from '../../../sidecar/base/observability/silent-logger.ts';
import { sampleRepository } from '../../support/sample-repository.ts';
import { call, say } from '../../support/scripted-model.ts';
import { startSystem, type TestSystem } from '../../support/sidecar.ts';

let system: TestSystem;
afterEach(async () => {
  delete process.env.DEPLOY_TOKEN;
  await system.cleanup.close();
});

const SECRET = 'tr0ub4dor-and-3-more';
const repair: ScenarioInput = {
  turns: [
    call('read_file', { file_path: 'a.txt' }),
    say('Next, I will edit the file.'),
    call('edit_file', { file_path: 'a.txt', old_string: 'bad', new_string: 'good' }),
    say(`Repaired, with ${SECRET}.`),
  ],
};

/** The texts of all files of the only session. */
async function sessionFiles(): Promise<Record<string, string>> {
  const sessions = join(system.dir, 'data', 'sessions');
  const [folder = ''] = await readdir(sessions);
  const names = await readdir(join(sessions, folder));
  const texts = await Promise.all(names.map((name) => readFile(join(sessions, folder, name), 'utf8')));
  return Object.fromEntries(names.map((name, index) => [name, texts[index] ?? '']));
}

describe('every task leaves a session', () => {
  test('with how it went, all that was said and every request', async () => {
    system = await startSystem(repair);
    const repo = await sampleRepository(system.dir, { 'a.txt': 'bad\n' });
    await system.worker('w1', {
      model: { toolMode: 'native' },
      brief: { seconds: 9 },
      limits: { maxIterations: 8 },
      tools: { outputLimits: { shell: 1000 }, protectedPaths: ['secret/**'] },
      ollama: { maxContextTokens: 8192, streamAgentic: true },
    });
    const { task_id: id } = await system.finish({
      repo,
      description: 'Repair it',
      verification_steps: [{ type: 'file_contains', target: 'a.txt::good' }],
    });
    const files = await sessionFiles();
    expect(JSON.parse(files['session.json'] ?? '')).toMatchObject({
      task_id: id,
      model: 'm',
      status: 'success',
      termination_reason: 'final_answer',
      end: expect.any(String),
      base_commit: expect.stringMatching(/^[0-9a-f]{40}$/u),
      task: { description: 'Repair it', repo },
    });
    // All that decides how the task goes when it is replayed, and nothing of this machine.
    const { limits, routing, solving, brief, approval } = configSchema.parse({
      solving: { strategy: 'loop' },
      brief: { seconds: 9 },
      limits: { maxIterations: 8 },
    });
    expect(JSON.parse(files['session.json'] ?? '').settings).toEqual({
      model: { toolMode: 'native' },
      limits,
      routing,
      solving,
      brief,
      approval,
      tools: { outputLimits: { shell: 1000 }, lineLimits: {} },
      ollama: { maxContextTokens: 8192, streamAgentic: true },
    });
    const said = parseChatLog(files['chat_history.log'] ?? '');
    expect(said.map(({ type }) => type)).toEqual([
      'SYSTEM',
      'USER',
      'TOOL_CALL',
      'TOOL_RESULT',
      'AGENT',
      'USER',
      'TOOL_CALL',
      'TOOL_RESULT',
      'AGENT',
    ]);
    expect(said[2]?.text).toBe('read_file({"file_path":"a.txt"})');
    expect(said[3]?.text).toContain('bad');
    const requests = await readRequests(
      join(system.dir, 'data', 'sessions', JSON.parse(files['session.json'] ?? '').id, 'requests.jsonl'),
    );
    expect(requests.map(({ outcome }) => outcome?.ok)).toEqual([true, true, true, true]);
  });

  test('in which no secret stands', async () => {
    process.env.DEPLOY_TOKEN = SECRET;
    system = await startSystem(repair);
    const repo = await sampleRepository(system.dir, {
      'a.txt': `bad\n${SECRET}\n${Buffer.from(SECRET).toString('base64')}\n`,
    });
    await system.worker('w1');
    await system.finish({ repo, description: `Use ${SECRET}`, metadata: { note: SECRET } });
    const all = Object.values(await sessionFiles()).join('\n');
    expect(all).toContain('****');
    expect(all).not.toContain(SECRET);
    expect(all).not.toContain(Buffer.from(SECRET).toString('base64').slice(0, 20));
  });

  test('also one that is a command, or a single answer', async () => {
    system = await startSystem({ turns: [say('Four.')] });
    await system.worker('w1');
    await system.finish({ description: 'Two and two?' });
    expect(parseChatLog((await sessionFiles())['chat_history.log'] ?? '').map(({ text }) => text)).toEqual([
      'Two and two?',
      'Four.',
    ]);
    await system.finish({ metadata: { shell_command: 'echo hello' } });
    const logs = await readdir(join(system.dir, 'data', 'sessions'));
    expect(logs).toHaveLength(2);
  });

  test('which stays as long as the configuration says, and while it may be written', async () => {
    system = await startSystem(repair);
    const sessions = join(system.dir, 'data', 'sessions');
    const ids = ['2026-01-01T00:00:00.000Z', '2026-01-07T00:00:00.000Z', '2026-01-07T01:00:00.000Z'];
    const statuses = ['success', 'running', 'success'];
    for (const [index, id] of ids.entries()) {
      const info = { id, task_id: id, start: id, status: statuses[index] };
      await mkdir(join(sessions, id), { recursive: true });
      await writeFile(join(sessions, id, 'session.json'), JSON.stringify(info));
    }
    const clock = { now: () => Date.parse('2026-01-07T02:00:00.000Z') };
    await pruneOldSessions(sessions, { sessionDays: 3, sessionBytes: 1 }, { clock, logger: silentLogger });
    expect(await readdir(sessions)).toEqual([ids[1]]);
  });
});

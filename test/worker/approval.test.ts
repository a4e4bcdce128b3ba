import { afterEach, describe, expect, test } from '@jest/globals';
import type { ConfigInput } from '../../sidecar/config/schema.ts';
import type { ScenarioInput } from '../../sidecar/scripted-model/scenario.ts';
import { call, json, say } from '../support/scripted-model.ts';
import { startSystem, type TestSystem } from '../support/sidecar.ts';

let system: TestSystem;
afterEach(() => system.cleanup.close());

const dangerous: ScenarioInput = {
  turns: [call('shell', { command: 'true || sudo true' }), say('{{lastToolResult}}')],
};
const asking: ScenarioInput = {
  turns: [json({ request_approval: 'Tabs or spaces?' }), say('Told: {{lastMessage}}')],
};
type Decision = 'accepted' | 'rejected' | 'corrected';

/** Runs an agentic task and answers the first thing that it asks; returns the result's output and the kind asked. */
async function run(
  scenario: ScenarioInput,
  config: ConfigInput,
  answer?: { decision: Decision; text?: string },
): Promise<{ output: unknown; asked: string[]; statuses: string[] }> {
  system = await startSystem(scenario);
  await system.worker('w1', config);
  const { task_id: id } = await system.client.submit({ description: 'x', agentic: true });
  const asked: string[] = [];
  const statuses: string[] = [];
  const { result } = await system.untilEnded(id, async ({ kind, body }) => {
    if (body.event_type === 'status') statuses.push(String(body.text));
    if (kind === 'approval' && body.status === 'pending') {
      asked.push(`${String(body.kind)}: ${String(body.summary)}`);
      if (answer) await system.answer(id, { approval_id: String(body.approval_id), ...answer });
    }
  });
  return { output: result?.output, asked, statuses };
}

describe('a command that the deny list catches', () => {
  test.each(['auto', 'deny'] as const)('is refused without asking anybody under %s', async (command) => {
    const { output, asked } = await run(dangerous, { approval: { command } });
    expect(output).toMatch(/^Refused: .*sudo/u);
    expect(asked).toEqual([]);
  });

  test('runs where a person accepts it', async () => {
    const { output, asked } = await run(
      dangerous,
      { approval: { command: 'hub' } },
      { decision: 'accepted' },
    );
    expect(asked).toEqual([expect.stringMatching(/^command: Refused: [^]*true \|\| sudo true$/u)]);
    expect(output).toContain('exit code 0');
  });

  test("does not run where a person rejects it, and the model reads the person's words", async () => {
    const { output } = await run(
      dangerous,
      { approval: { command: 'hub' } },
      { decision: 'rejected', text: 'never on this machine' },
    );
    expect(output).toMatch(/Refused: .*A person was asked and said: never on this machine/u);
  });

  test('is refused when nobody answers in time', async () => {
    const { output, statuses } = await run(dangerous, { approval: { command: 'hub', timeoutMs: 50 } });
    expect(output).toMatch(/^Refused: /u);
    expect(statuses).toContain('Waiting for a person (command)');
    expect(statuses).toContain('Nobody answered (command) within 0.05 s; going on without');
  });
});

describe('a question of the model', () => {
  const structured: ConfigInput = { model: { toolMode: 'structured' } };

  test.each([
    ['accepted', undefined, 'Yes.'],
    ['rejected', 'spaces', 'No. spaces'],
    ['corrected', 'Two spaces.', 'Two spaces.'],
  ] as const)('is answered by a person: %s', async (decision, text, told) => {
    const config: ConfigInput = { ...structured, approval: { question: 'hub' } };
    const { output, asked } = await run(asking, config, { decision, ...(text ? { text } : {}) });
    expect(asked).toEqual(['question: Tabs or spaces?']);
    expect(output).toContain(told);
  });

  test('nobody answers in time is for the model to decide', async () => {
    const config: ConfigInput = { ...structured, approval: { question: 'hub', timeoutMs: 50 } };
    const { output } = await run(asking, config);
    expect(output).toContain('Decide yourself and write down why');
  });
});

/** What is behind the events of a task: on the hub within bounds, masked, and only where the operator wants it. */
import { afterEach, describe, expect, test } from '@jest/globals';
import { MAX_DETAIL_CHARS, MAX_EVENT_DETAILS, MAX_TASK_DETAIL_CHARS } from '../../sidecar/protocol/limits.ts';
import { boundedDetails, EventDetails } from '../../sidecar/worker/event-details.ts';
import { call, say } from '../support/scripted-model.ts';
import { sampleRepository } from '../support/sample-repository.ts';
import { startSystem, type TestSystem } from '../support/sidecar.ts';

const event = (text: string) => ({
  event_type: 'status' as const,
  text: 'x',
  details: [{ title: 'T', text }],
});

describe('details', () => {
  test('of an event have a bound: the longest text loses its middle, short ones stay whole', () => {
    const short = { title: 'Prompt: user', text: 'short' };
    const long = { title: 'Prompt: system', text: 'a'.repeat(3 * MAX_DETAIL_CHARS) };
    const [first, second] = boundedDetails([long, short]);
    expect(second).toEqual(short);
    expect(first?.text).toMatch(/^a+\n\[… \d+ characters left out …\]\na+$/u);
    expect(first?.text.length).toBeLessThan(MAX_DETAIL_CHARS + 50);
  });

  test('that are too many lose the first ones, which is said', () => {
    const many = Array.from({ length: MAX_EVENT_DETAILS + 5 }, (_, index) => ({
      title: `${index}`,
      text: 'x',
    }));
    const kept = boundedDetails(many);
    expect(kept).toHaveLength(MAX_EVENT_DETAILS);
    expect(kept[0]).toEqual({ title: 'Left out', text: '6 earlier parts are left out.' });
    expect(kept.at(-1)).toEqual(many.at(-1));
  });

  test('of a run have a bound: later events say that theirs are left out', () => {
    const details = new EventDetails();
    const full = MAX_TASK_DETAIL_CHARS / MAX_DETAIL_CHARS;
    const kept = Array.from({ length: full + 1 }, () => details.within(event('a'.repeat(MAX_DETAIL_CHARS))));
    expect(kept.at(-2)?.details?.[0]?.title).toBe('T');
    expect(kept.at(-1)?.details).toMatchObject([{ title: 'Left out' }]);
    expect(details.within({ event_type: 'status', text: 'x' })).not.toHaveProperty('details');
  });
});

describe('on a hub', () => {
  let system: TestSystem;
  afterEach(() => system.cleanup.close());

  async function prompts(config: object = {}) {
    process.env.DEPLOY_TOKEN = 'tr0ub4dor-and-3-more';
    system = await startSystem({ turns: [call('read_file', { file_path: 'a.txt' }), say('Done.')] });
    const repo = await sampleRepository(system.dir, { 'a.txt': `log in with ${process.env.DEPLOY_TOKEN}\n` });
    await system.worker('w1', config);
    const events: { id: number; body: Record<string, unknown> }[] = [];
    const { task_id: id } = await system.client.submit({ description: 'Look', repo });
    await system.untilEnded(id, (one) => void events.push(one));
    delete process.env.DEPLOY_TOKEN;
    const opened = events.filter(({ body }) => body.has_details === true);
    const whole = await Promise.all(
      opened.map(
        (one) => system.api(`/api/tasks/${id}/events/${one.id}`) as Promise<(typeof events)[number]>,
      ),
    );
    return { events, whole };
  }

  test('a call of the model has the new messages of its prompt behind it, without secrets', async () => {
    const { events, whole } = await prompts();
    const titles = whole.map(({ body }) => (body.details as { title: string }[]).map(({ title }) => title));
    expect(titles).toEqual([
      ['Prompt: system', 'Prompt: user'],
      ['Prompt', 'Prompt: answer of the model', 'Prompt: result of read_file'],
    ]);
    expect(JSON.stringify(events)).not.toContain('"details"');
    expect(JSON.stringify(whole[1])).toContain('log in with ****');
    expect(JSON.stringify([events, whole])).not.toContain('tr0ub4dor');
  });

  test('none of it leaves the worker whose operator does not want it', async () => {
    const { events, whole } = await prompts({ hub: { sendDetails: false } });
    expect(events.some(({ body }) => body.model_call !== undefined)).toBe(true);
    expect(whole).toEqual([]);
  });
});

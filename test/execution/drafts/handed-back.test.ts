/** Where no draft passes more than the untouched tree and the loop changes nothing, a draft is handed back to look at. */
import { describe, expect, test } from '@jest/globals';
import { TaskControl } from '../../../sidecar/execution/task/task-control.ts';
import { call, say } from '../../support/scripted-model.ts';
import { answer, draftRuns, refused, task, WRONG } from './draft-runs.ts';

const { run, source } = draftRuns();

const wrongs = [answer('return a * b;'), answer('return b;'), answer('return a;'), answer('return 7;')];
const claims = { ...say('I have fixed add().'), repeat: 'always' as const };
const subtracts = {
  type: 'command_succeeds' as const,
  target: `node -e "import('./src/add.js').then(({ add }) => { if (add(5, 0) !== 5) process.exit(1); })"`,
};

test('the first one, when the loop only claims a change', async () => {
  const { result } = await run(wrongs, [claims], { task: { max_verification_retries: 0 } });
  expect(result).toMatchObject({
    status: 'partial',
    verification_status: 'failed',
    changes: { files: [{ path: 'src/add.js' }] },
  });
  expect(result.output).toContain('None of 4 drafts passes the checks. Draft 1 is put in: look at it.');
  expect(result.remaining.join()).toContain('adds');
  expect(source()).toContain('a * b');
});

test('the first one, when the loop has to stop', async () => {
  const { result } = await run(wrongs, [refused]);
  expect(result).toMatchObject({ status: 'partial', termination_reason: 'model_error' });
  expect(source()).toContain('a * b');
});

test('none that breaks what passed before', async () => {
  const { result } = await run(wrongs, [claims], {
    task: { verification_steps: [...task.verification_steps, subtracts], max_verification_retries: 0 },
  });
  expect(result.output).toContain('Draft 3 is put in');
  expect(source()).toContain('return a;');
});

test('the first one, whatever the loop says of a change that it did not make', async () => {
  const said = 'add subtracts by design; its name is what misleads.';
  const { result } = await run(wrongs, [{ ...say(said), repeat: 'always' }], {
    task: { max_verification_retries: 0 },
  });
  expect(result).toMatchObject({ status: 'partial', changes: { files: [{ path: 'src/add.js' }] } });
  expect(result.output).toContain(said);
});

test('none where the loop changes something', async () => {
  await run(
    wrongs,
    [call('write_file', { path: 'NOTES.md', content: 'It subtracts.\n' }), { ...claims, repeat: 'always' }],
    { task: { max_verification_retries: 0 } },
  );
  expect(source()).toBe(WRONG);
});

test('with checks that passed before it is partial work', async () => {
  const passing = { verification_steps: [{ type: 'file_exists' as const, target: 'src/add.js' }] };
  const drafted = await run(wrongs, [claims], { task: passing });
  expect(drafted.result).toMatchObject({ status: 'partial', verification_status: 'partial_pass' });
  expect(drafted.result.remaining.join()).toContain('no two of 4 drafts agree');
  expect(source()).toContain('a * b');
});

describe('with checks that cannot tell which change is right', () => {
  const passing = { verification_steps: [{ type: 'file_exists' as const, target: 'src/add.js' }] };
  const few = { brief: { seconds: 15 }, ollama: { slots: 1 }, solving: { drafts: 4, tools: 'few' as const } };
  const others = [answer('return 1;'), answer('return 2;'), answer('return 3;')];
  const notes = call('write_file', { path: 'NOTES.md', content: 'It subtracts.\n' });

  test('the first one, where no two answers of the loop agree either', async () => {
    const { result, chats } = await run(wrongs, others, { task: passing, config: few });
    expect(chats).toHaveLength(7);
    expect(result).toMatchObject({ status: 'partial', verification_status: 'partial_pass' });
    expect(result.output).toContain('no two of 4 drafts agree. Draft 1 is put in: look at it.');
    expect(source()).toContain('a * b');
  });

  test('the first one, where the loop has to stop in the middle of a change', async () => {
    const { result } = await run(wrongs, [notes, refused], { task: passing });
    expect(result).toMatchObject({ status: 'partial', termination_reason: 'model_error' });
    expect(result.changes.files.map(({ path }) => path)).toEqual(['src/add.js']);
    expect(source()).toContain('a * b');
  });

  test('none where the loop changes something and says that it is done', async () => {
    const { result } = await run(wrongs, [notes, { ...claims, repeat: 'always' }], { task: passing });
    expect(result).toMatchObject({ status: 'success', verification_status: 'verified' });
    expect(source()).toBe(WRONG);
  });

  test('none where a person told the loop something', async () => {
    const control = new TaskControl();
    const { result } = await run(wrongs, [notes, say('It is in the notes.'), refused], {
      task: passing,
      execute: { control },
      onProgress: ({ tool_name: tool, phase }) => {
        if (tool === 'write_file' && phase === 'started') control.steer('Keep notes of it.');
      },
    });
    expect(result.changes.files.map(({ path }) => path)).toEqual(['NOTES.md']);
  });
});

test('a change that was asked for and not made is no success because the checks pass as before', async () => {
  const { result } = await run([{ ...say('I cannot say.'), repeat: 'always' }], undefined, {
    task: { verification_steps: [{ type: 'file_exists', target: 'src/add.js' }] },
  });
  expect(result).toMatchObject({ status: 'partial', verification_status: 'unverified' });
  expect(result.remaining).toEqual(['The checks passed already, nothing was changed.']);
});

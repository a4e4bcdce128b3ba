import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import Sqlite from 'better-sqlite3';
import { join } from 'node:path';
import { taskResultSchema } from '../../sidecar/protocol/result.ts';
import { createOutbox } from '../../sidecar/storage/outbox.ts';
import { openStateDatabase } from '../../sidecar/storage/state-database.ts';
import { createTaskRecords } from '../../sidecar/storage/task-records.ts';
import { commandLine, jsonLines, repair, type CommandLine } from './command-line.ts';

let cli: CommandLine;
let taskId: string;
beforeAll(async () => {
  cli = await commandLine(repair);
  const repo = await cli.repository();
  const done = await cli.run(['run', 'repair a.txt', '--repo', repo, '--verify', 'grep good a.txt']);
  taskId = String(jsonLines(done.stdout).at(-1)?.task_id);
});
afterAll(() => cli.close());

const history = async (...args: string[]) => (await cli.run(['history', ...args])).stdout;

describe('history', () => {
  test('shows a task that ended here with its result: JSON in a pipe, text for people', async () => {
    const [task] = jsonLines(await history(taskId));
    expect(task).toMatchObject({ task_id: taskId, status: 'success', delivery: 'complete' });
    expect(task).toMatchObject({ result: { status: 'success', output: 'Repaired.' } });
    const text = await history('last', '--no-json');
    expect(text).toContain('has it (complete)');
    expect(text).toMatch(/SUCCESS \(verified\)[^]*Repaired\.[^]*\+good/u);
  });

  test('shows a result that the hub refused, and why; and an error that is no result', async () => {
    const result = taskResultSchema.parse(jsonLines(await history(taskId))[0]?.result);
    const db = openStateDatabase(cli.stateDir);
    const [records, outbox] = [createTaskRecords(db), createOutbox(db)];
    const about = (id: string) => ({ task_id: id, generation: 1 });
    const kept = records.finish('kept', {
      outcome: 'success',
      result: { ...result, output: 'Only here.' },
      frame: { type: 'task_complete', ...about('kept'), result },
    });
    outbox.settle(kept?.id ?? 0, { moot: 'stale_generation' });
    const error = 'workspace_git_failed: no such branch';
    records.finish('early', { outcome: 'failed', frame: { type: 'task_failed', ...about('early'), error } });
    db.close();

    const refused_because = 'the hub had given the task out again by then';
    expect(jsonLines(await history('kept'))).toMatchObject([
      { delivery: 'moot: stale_generation', refused_because, result: { output: 'Only here.' } },
    ]);
    const text = await history('kept', '--no-json');
    expect(text).toContain(`refused: ${refused_because}`);
    expect(text).toContain('Only here.');
    expect(await history('early', '--no-json')).toMatch(/waits to be sent[^]*FAILED[^]*no such branch/u);
    const rows = JSON.parse(await history()) as { task_id: string }[];
    expect(rows.map((row) => row.task_id).sort()).toEqual(['early', 'kept', taskId].sort());
    expect(rows.some((row) => 'result' in row)).toBe(false);
    expect(JSON.parse(await history('--limit', '1'))).toHaveLength(1);

    const file = new Sqlite(join(cli.stateDir, 'state.sqlite'));
    file.prepare('UPDATE history SET result = ? WHERE task_id = ?').run('{', 'kept');
    file.close();
    expect(JSON.parse(await history())).toHaveLength(3);
    expect(await cli.run(['history', 'kept'])).toMatchObject({ code: 6, stdout: '' });
  });

  test('a task that is not there: 2', async () => {
    const { code, stderr } = await cli.run(['history', 'nope']);
    expect([code, stderr]).toEqual([2, expect.stringMatching(/No task nope has ended in /u)]);
  });
});

import { expect, test } from '@jest/globals';
import pc from 'picocolors';
import type { Terminal } from '../../sidecar/cli/terminal.ts';
import { createTimeline } from '../../sidecar/cli/timeline.ts';

test('a call that was repaired has the word at the end of its line', async () => {
  const lines: string[] = [];
  const terminal: Terminal = {
    json: false,
    interactive: false,
    width: 80,
    color: pc.createColors(false),
    line: (text = '') => void lines.push(text),
    prose: (text) => void lines.push(text),
    table: () => undefined,
    list: () => undefined,
    data: () => undefined,
    note: () => undefined,
  };
  const timeline = await createTimeline(terminal);
  const finished = { event_type: 'tool_call', phase: 'finished', success: true, iteration: 1 };
  const show = (body: object) =>
    timeline.show({
      id: 1,
      at: 1,
      kind: 'execution',
      task_id: 't',
      generation: 1,
      body: { ...finished, ...body },
    });
  show({ text: 'glob a → OK: 1 file (2 ms)', repaired: true });
  show({ text: 'glob b → OK: 1 file (2 ms)' });
  timeline.end();
  expect(lines).toEqual([
    '     1. ✓ glob a → OK: 1 file (2 ms) repaired',
    '        ✓ glob b → OK: 1 file (2 ms)',
  ]);
});

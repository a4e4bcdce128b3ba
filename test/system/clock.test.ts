import { expect, test } from '@jest/globals';
import { sleep } from '../../sidecar/system/clock.ts';
import { ManualClock } from '../support/manual-clock.ts';
import { exitOf, outputOf, startProgram } from '../support/child-program.ts';
import { tempFolders } from '../support/temp-folder.ts';

const folder = tempFolders();

test('a sleep keeps the process alive until it is over, a timer by itself does not', async () => {
  const program = startProgram(
    `import { sleep, systemClock } from './sidecar/system/clock.ts';
     systemClock.schedule(60_000, () => console.log('never'));
     void sleep(systemClock, 50).then(() => console.log('slept'));`,
    folder(),
  );
  const exit = exitOf(program);
  expect(await outputOf(program, 'slept')).toBe('slept\n');
  expect(await exit).toEqual({ code: 0, signal: null });
});

test('an abort ends a sleep at once and leaves nothing behind', async () => {
  const clock = new ManualClock();
  const controller = new AbortController();
  const slept = sleep(clock, 1000, controller.signal);
  controller.abort();
  await slept;
  await sleep(clock, 1000, controller.signal);
  expect(clock.pending).toBe(0);
});

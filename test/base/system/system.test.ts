import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { once } from 'node:events';
import { tmpdir } from 'node:os';
import { isAbsolute, join } from 'node:path';
import { afterAll, afterEach, describe, expect, test } from '@jest/globals';
import { runWithTimeLimit, sleep } from '../../../sidecar/base/system/clock.ts';
import { findHomeFolder } from '../../../sidecar/base/system/home-folder.ts';
import { runInSteps } from '../../../sidecar/base/system/run-in-steps.ts';
import { makeFolder } from '../../../sidecar/base/system/make-folder.ts';
import { removeFolder } from '../../../sidecar/base/system/remove-folder.ts';
import { makeTemporaryFolder } from '../../../sidecar/base/system/temporary-folder.ts';
import { exitOf, outputOf, startProgram } from '../../support/child-program.ts';
import { makeDeepFolder } from '../../support/deep-folder.ts';
import { ManualClock } from '../../support/manual-clock.ts';
import { tempFolders } from '../../support/temp-folder.ts';

describe('clock', () => {
  const folder = tempFolders();

  test('a sleep keeps the process alive until it is over, a timer by itself does not', async () => {
    const program = startProgram(
      `import { sleep, systemClock } from './sidecar/base/system/clock.ts';
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
});

describe('work with a time limit', () => {
  const untilAborted = async (signal: AbortSignal): Promise<unknown> => {
    await once(signal, 'abort');
    return signal.reason;
  };

  test('it is aborted at its limit and with the signal of its caller', async () => {
    const clock = new ManualClock();
    const late = runWithTimeLimit(untilAborted, 1_000, undefined, clock);
    await clock.advance(1_000);
    expect(await late).toMatchObject({ name: 'TimeoutError' });
    const caller = new AbortController();
    const stopped = runWithTimeLimit(untilAborted, 1_000, caller.signal, clock);
    caller.abort('by the caller');
    expect(await stopped).toBe('by the caller');
    expect(clock.pending).toBe(0);
  });
});

describe('timeout signal', () => {
  const folder = tempFolders();

  test('it aborts a signal that is derived from it, though nothing else names it', async () => {
    const program = startProgram(
      `import { setFlagsFromString } from 'node:v8';
     import { runInNewContext } from 'node:vm';
     import { createTimeoutSignal } from './sidecar/base/system/clock.ts';
     setFlagsFromString('--expose-gc');
     const collectGarbage = runInNewContext('gc');
     const derive = () => AbortSignal.any([new AbortController().signal, createTimeoutSignal(100)]);
     const derived = derive();
     derived.addEventListener('abort', () => {
       console.log(derived.reason.name);
       process.exit();
     });
     setImmediate(collectGarbage);
     setTimeout(() => console.log('never'), 5_000);`,
      folder(),
    );
    expect(await outputOf(program, '\n')).toBe('TimeoutError\n');
  });
});

describe('home folder', () => {
  const { HOME } = process.env;
  afterEach(() => {
    process.env.HOME = HOME;
  });

  test('an empty HOME does not put everything into the folder that one is in', () => {
    process.env.HOME = '';
    expect(isAbsolute(findHomeFolder())).toBe(true);
  });
});

describe('work in small steps', () => {
  const clock = new ManualClock();
  const signal = new AbortController().signal;

  test('pauses after each step and ends when nothing is left', async () => {
    const times: number[] = [];
    const startMs = clock.now();
    const step = () => times.push(clock.now() - startMs) < 3;
    const run = runInSteps({ step, isIdle: () => true, maxIdleWaitMs: 0, clock, signal });
    await clock.advance(1000);
    await run;
    expect(times).toEqual([0, 20, 40]);
    expect(clock.pending).toBe(0);
  });

  test('waits for an idle moment, but not for ever', async () => {
    const times: number[] = [];
    const startMs = clock.now();
    let isIdle = false;
    const step = () => times.push(clock.now() - startMs) < 2;
    const run = runInSteps({ step, isIdle: () => isIdle, maxIdleWaitMs: 10_000, clock, signal });
    await clock.advance(400);
    expect(times).toEqual([]);
    isIdle = true;
    await clock.advance(100);
    expect(times).toEqual([500]);
    isIdle = false;
    await clock.advance(60_000);
    await run;
    expect(times).toEqual([500, 10_520]);
  });

  test('ends at once when it is aborted, and leaves no timer', async () => {
    const stop = new AbortController();
    const step = () => {
      throw new Error('no step is wanted');
    };
    const run = runInSteps({ step, isIdle: () => false, maxIdleWaitMs: 60_000, clock, signal: stop.signal });
    await clock.advance(300);
    stop.abort();
    await run;
    expect(clock.pending).toBe(0);
  });

  test('rejects with what a step throws', async () => {
    const step = () => Promise.reject(new Error('disk'));
    const run = runInSteps({ step, isIdle: () => true, maxIdleWaitMs: 0, clock, signal });
    await expect(run).rejects.toThrow('disk');
  });
});

describe('making a folder', () => {
  const tempFolder = tempFolders();

  test('makes its parents too, for this user only, and leaves one that is there as it is', () => {
    const path = join(tempFolder(), 'a', 'b', 'c');
    makeFolder(path);
    makeFolder(path);
    expect(statSync(path).mode & 0o777).toBe(0o700);
    expect(statSync(join(path, '..')).mode & 0o777).toBe(0o700);
    const open = join(tempFolder(), 'open');
    mkdirSync(open, { mode: 0o755 });
    makeFolder(open);
    expect(statSync(open).mode & 0o777).toBe(0o755);
  });

  test('a file in its place or among its parents is an error', () => {
    const file = join(tempFolder(), 'file');
    writeFileSync(file, '');
    expect(() => makeFolder(file)).toThrow(expect.objectContaining({ code: 'EEXIST' }));
    expect(() => makeFolder(join(file, 'a', 'b'))).toThrow(expect.objectContaining({ code: 'ENOTDIR' }));
  });

  // Node's own mkdir would not come back from here.
  (process.platform === 'linux' ? test : test.skip)('below a folder that takes none it is an error', () => {
    for (const path of ['/proc/none', '/proc/none/state', '/proc/self/a/b']) {
      expect(() => makeFolder(path)).toThrow(expect.objectContaining({ code: 'ENOENT' }));
    }
  });
});

/** Folders that tasks leave behind. */
describe('remove folder', () => {
  const root = mkdtempSync(join(tmpdir(), 'remove-folder-'));
  afterAll(() => rmSync(root, { recursive: true, force: true }));

  test('a folder deeper than any path is removed, and nothing that its links name', async () => {
    writeFileSync(join(root, 'kept.txt'), 'kept');
    const deep = join(root, 'deep');
    makeDeepFolder(deep, root);
    await removeFolder(deep);
    expect(existsSync(deep)).toBe(false);
    expect(readFileSync(join(root, 'kept.txt'), 'utf8')).toBe('kept');
  });

  test('of a link, only the link; of nothing, nothing', async () => {
    symlinkSync(root, join(root, 'link'));
    await removeFolder(join(root, 'link'));
    await removeFolder(join(root, 'never-there'));
    expect(existsSync(join(root, 'kept.txt'))).toBe(true);
  });
});

/** Temporary folders where none can be made. */
test('a temporary folder that cannot be written is named, with what to do', () => {
  expect(() => makeTemporaryFolder('x-', '/nonexistent/folder')).toThrow(
    expect.objectContaining({
      code: 'temporary_folder',
      message: expect.stringMatching(/^The temporary folder \/nonexistent\/folder .* TMPDIR$/u),
    }),
  );
});

describe('memory', () => {
  const folder = tempFolders();

  test('the young generation of a process that spares memory does not grow', async () => {
    const program = startProgram(
      `import { getHeapSpaceStatistics } from 'node:v8';
     import { limitYoungGeneration } from './sidecar/base/system/young-generation.ts';
     const young = () => getHeapSpaceStatistics().find(({ space_name: name }) => name === 'new_space')!.space_size;
     limitYoungGeneration();
     const before = young();
     let kept: object[] = [];
     for (let n = 0; n < 400_000; n += 1) {
       if (n % 40_000 === 0) kept = [];
       kept.push({ n, list: [n] });
     }
     console.log(young() <= before + 2 ** 20 ? 'same' : 'grown');`,
      folder(),
    );
    expect(await outputOf(program, '\n')).toBe('same\n');
  });
});

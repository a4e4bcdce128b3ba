import { describe, expect, test } from '@jest/globals';
import { ChangeWatch } from '../../../sidecar/loop/guardrails/change-watch.ts';
import { StallGuard } from '../../../sidecar/loop/guardrails/stall.ts';
import type { RecordedAnswer } from '../../../sidecar/task/checkpoint.ts';
import { Checkpoint } from '../../../sidecar/task/checkpoint.ts';
import { DyingJournal } from '../../support/dying-journal.ts';

/** One life of a task: what its workspace holds, and whether it was seen to change in each round. */
class Life {
  content: string | Error;
  readonly checkpoint: Checkpoint;
  readonly watch: ChangeWatch;
  readonly verdicts: boolean[] = [];
  readonly #journal: DyingJournal;
  looks = 0;

  constructor(content: string | Error, journal = new DyingJournal()) {
    this.content = content;
    this.#journal = journal;
    this.checkpoint = new Checkpoint(journal, 'run');
    this.watch = new ChangeWatch(() => this.#look(), this.checkpoint, new StallGuard(true));
    this.watch.begin();
  }

  #look(): Promise<string> {
    this.looks += 1;
    return this.content instanceof Error ? Promise.reject(this.content) : Promise.resolve(this.content);
  }

  /** The model has answered, and with it everything that was seen so far is on disk. */
  async answered(round: number): Promise<void> {
    await this.watch.settled();
    await this.checkpoint.recordAnswer(round, {} as RecordedAnswer);
  }

  async ended(round: number, content: string | Error, mayChange = true): Promise<void> {
    await this.watch.settled();
    this.content = content;
    this.verdicts.push(await this.watch.roundEnded(round, mayChange));
    await this.watch.settled();
  }

  /** The same task after its worker was killed, with the workspace as it is now. */
  again(): Life {
    return new Life(this.content, this.#journal);
  }
}

describe('the watch for changes', () => {
  test('compares the workspace after each round that may have changed it', async () => {
    const life = new Life('a');
    await life.ended(1, 'b');
    await life.ended(2, 'b');
    await life.ended(3, 'b', false);
    await life.ended(4, 'c');
    expect(life.verdicts).toEqual([true, false, false, true]);
    expect(life.looks).toBe(4);
  });

  test('gives the verdict on the last round', async () => {
    const life = new Life('a');
    expect(await life.watch.settled()).toBe('ok');
    for (const round of [1, 2, 3, 4, 5]) await life.ended(round, 'a');
    expect(await life.watch.settled()).toBe('warn');
  });

  test('takes a workspace that cannot be compared for a changed one', async () => {
    const life = new Life('a');
    await life.ended(1, new Error('git is busy'));
    await life.ended(2, 'a');
    expect(life.verdicts).toEqual([true, false]);
  });

  test('looks at nothing where nothing is to change', async () => {
    const watch = new ChangeWatch(undefined, new Checkpoint(undefined, 'run'), new StallGuard(false));
    watch.begin();
    expect(await watch.settled()).toBe('ok');
  });
});

describe('the watch for changes after a crash', () => {
  test('takes the verdicts on past rounds from the journal and goes on from there', async () => {
    const first = new Life('a');
    await first.answered(1);
    await first.ended(1, 'b');
    await first.answered(2);
    await first.ended(2, 'b');
    await first.answered(3);
    const second = first.again();
    await second.ended(1, 'b');
    await second.ended(2, 'b');
    expect(second.looks).toBe(0);
    await second.ended(3, 'b');
    await second.ended(4, 'c');
    expect(second.verdicts).toEqual([true, false, false, true]);
  });

  test.each(['a', 'b'])(
    'sees what the round did in which the worker was killed: it left %s',
    async (left) => {
      const first = new Life('a');
      await first.answered(1);
      first.content = left;
      const second = first.again();
      await second.ended(1, left);
      expect(second.verdicts).toEqual([left !== 'a']);
    },
  );

  test('believes rounds that may have changed something before the first look that it has', async () => {
    const first = new Life('a');
    // Both answers reached the disk, the looks did not.
    await first.checkpoint.recordAnswer(1, {} as RecordedAnswer);
    await first.checkpoint.recordAnswer(2, {} as RecordedAnswer);
    first.content = 'b';
    const second = first.again();
    await second.ended(1, 'b');
    await second.ended(2, 'b', false);
    await second.ended(3, 'b');
    expect(second.verdicts).toEqual([true, false, false]);
  });
});

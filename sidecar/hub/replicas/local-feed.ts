/** Passes commits on to the rest of the hub if there is only one process. */
import type { EventRow } from '../storage/tables.ts';
import type { CommitFeed, FeedListener, HubMessage } from '../storage/unit-of-work.ts';

export class LocalFeed implements CommitFeed {
  #listener: FeedListener | undefined;

  listen(listener: FeedListener): Promise<void> {
    this.#listener = listener;
    return Promise.resolve();
  }

  close(): Promise<void> {
    this.#listener = undefined;
    return Promise.resolve();
  }

  afterCommit(events: EventRow[], messages: HubMessage[]): void {
    this.#listener?.onEvents(events);
    for (const message of messages) this.#listener?.onMessage(message);
  }
}

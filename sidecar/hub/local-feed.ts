/** Carries commits to the rest of the hub where there is only one process. */
import type { EventRow } from './storage/tables.ts';
import type { CommitFeed, HubMessage } from './storage/unit-of-work.ts';

export interface FeedListener {
  onEvents(events: readonly EventRow[]): void;
  onMessage(message: HubMessage): void;
}

export class LocalFeed implements CommitFeed {
  #listener: FeedListener | undefined;

  /** Called once, before the first commit that anybody is to hear of. */
  listen(listener: FeedListener): void {
    this.#listener = listener;
  }

  afterCommit(events: EventRow[], messages: HubMessage[]): void {
    this.#listener?.onEvents(events);
    for (const message of messages) this.#listener?.onMessage(message);
  }
}

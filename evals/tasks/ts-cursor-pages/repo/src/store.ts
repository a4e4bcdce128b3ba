import type { Message } from './types.ts';

/** Keeps messages; their ids grow and are never used again. */
export class MessageStore {
  private messages: Message[] = [];
  private lastId = 0;

  add(author: string, text: string): Message {
    this.lastId += 1;
    const message = { id: this.lastId, author, text };
    this.messages.push(message);
    return message;
  }

  remove(id: number): boolean {
    const before = this.messages.length;
    this.messages = this.messages.filter((message) => message.id !== id);
    return this.messages.length < before;
  }

  /** All messages, newest first. */
  newestFirst(): Message[] {
    return [...this.messages].reverse();
  }
}

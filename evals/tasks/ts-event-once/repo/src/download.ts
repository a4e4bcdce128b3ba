import { Emitter } from './emitter.ts';

interface DownloadEvents extends Record<string, unknown> {
  progress: { done: number; total: number };
  end: { bytes: number };
}

/** Reports the pieces of a download as they come. */
export class Download extends Emitter<DownloadEvents> {
  private done = 0;
  private readonly total: number;

  constructor(total: number) {
    super();
    this.total = total;
  }

  receive(bytes: number): void {
    this.done = Math.min(this.total, this.done + bytes);
    this.emit('progress', { done: this.done, total: this.total });
    if (this.done === this.total) this.emit('end', { bytes: this.done });
  }
}

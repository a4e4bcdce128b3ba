import { slowdown } from './rates.js';

/** A shop that notes what is bought. */
export class Shop {
  constructor({ tracker, logger }) {
    this.tracker = tracker;
    this.logger = logger;
    this.sold = 0;
  }

  buy(item, count = 1) {
    if (count < 1) {
      this.logger.log(`refused: ${count} of ${item}`);
      this.tracker.record('refused', { item });
      return false;
    }
    this.sold += count;
    this.logger.log(`sold ${count} of ${item}`);
    this.tracker.record('bought', { item, count });
    if (slowdown(this.sold) > 2) this.logger.warn('many sales');
    return true;
  }
}

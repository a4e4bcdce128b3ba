import { DEFAULTS } from './defaults.js';
import { mergeSettings } from './merge.js';
import { REGIONS } from './regions.js';

/** The settings for a customer: defaults, those of the region, those of their own. */
export function settingsFor(customer) {
  return mergeSettings({ money: { ...DEFAULTS.money }, tax: { ...DEFAULTS.tax } }, REGIONS[customer.region], customer.settings);
}

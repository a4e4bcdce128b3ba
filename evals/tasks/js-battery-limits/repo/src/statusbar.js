import { batteryState } from './battery.js';
import { clockText } from './clock.js';

/** The battery as text, such as "18% low" or "55%+". */
export function batteryText({ percent, charging = false }) {
  const state = batteryState(percent);
  const level = `${percent}%${charging ? '+' : ''}`;
  return state === 'normal' ? level : `${level} ${state}`;
}

/** The whole bar: time, then battery. */
export function statusBar({ hours, minutes, battery }) {
  return `${clockText(hours, minutes)} | ${batteryText(battery)}`;
}

/* Formats figures and times for users. Pure. */
import { isNumber } from './lenient.js';
/** @import { TaskStatus, TaskSummary } from '../page-types.ts' */

const decimals = new Intl.NumberFormat('en', { maximumFractionDigits: 1 });

/** Formats a number: 950, 1.2k, 3.4M. @param {unknown} value */
export function formatCount(value) {
  if (!isNumber(value)) return '–';
  if (value < 1000) return String(value);
  if (value < 1_000_000) return `${decimals.format(value / 1000)}k`;
  return `${decimals.format(value / 1_000_000)}M`;
}

/** Formats a cost in dollars: $0.0021. @param {unknown} value */
export function formatUsd(value) {
  if (!isNumber(value)) return '–';
  if (value === 0) return '$0';
  return `$${value < 0.01 ? value.toFixed(4) : value.toFixed(2)}`;
}

/**
 * Formats a count with its noun: 1 task, 3 tasks. `many`: the plural of the noun; default: with an s.
 * @param {number} value @param {string} one @param {string} [many]
 */
export const formatPlural = (value, one, many = `${one}s`) =>
  `${formatCount(value)} ${value === 1 ? one : many}`;

/** Formats a size: 5.2 GiB. @param {number | null | undefined} value */
export function formatBytes(value) {
  if (value === null || value === undefined) return '–';
  const units = ['B', 'KiB', 'MiB', 'GiB', 'TiB'];
  let size = value;
  let unit = 0;
  while (size >= 1000 && unit < units.length - 1) {
    size /= 1024;
    unit += 1;
  }
  return `${decimals.format(size)} ${units[unit]}`;
}

/** Formats a duration: 12 ms, 3.4 s, 2 m 05 s, 1 h 20 m. @param {unknown} ms */
export function formatDuration(ms) {
  if (!isNumber(ms)) return '–';
  if (ms < 1000) return `${Math.max(0, Math.round(ms))} ms`;
  if (ms < 60_000) return `${decimals.format(ms / 1000)} s`;
  const seconds = Math.floor(ms / 1000);
  if (ms < 3_600_000) return `${Math.floor(seconds / 60)} m ${String(seconds % 60).padStart(2, '0')} s`;
  return `${Math.floor(seconds / 3600)} h ${String(Math.floor((seconds % 3600) / 60)).padStart(2, '0')} m`;
}

/** Formats an age: just now, 12 s ago, 5 m ago, 3 h ago, 2 d ago. @param {number} at @param {number} now */
export function formatAge(at, now) {
  const seconds = Math.floor((now - at) / 1000);
  if (seconds < 2) return 'just now';
  if (seconds < 60) return `${seconds} s ago`;
  if (seconds < 3600) return `${Math.floor(seconds / 60)} m ago`;
  if (seconds < 86_400) return `${Math.floor(seconds / 3600)} h ago`;
  return `${Math.floor(seconds / 86_400)} d ago`;
}

/** @type {Record<TaskStatus, string>} */
const statusNames = {
  queued: 'Queued',
  assigned: 'Assigned',
  running: 'Running',
  asks: 'Asks',
  success: 'Success',
  partial: 'Partial',
  dead_letter: 'Failed',
  cancelled: 'Cancelled',
};

/** @typedef {Pick<TaskSummary, 'status' | 'not_done' | 'on_hold'>} BadgedTask */
/** Returns the text of a task's badge. @param {BadgedTask} task */
export const statusNameOf = ({ status, not_done: notDone, on_hold: hold }) =>
  hold && status !== 'asks' ? 'On hold' : notDone ? 'Not done' : (statusNames[status] ?? status);
/** Returns the colour of a task's badge. @param {BadgedTask} task */
export const statusKindOf = ({ status, not_done: notDone, on_hold: hold }) =>
  hold && status !== 'asks' ? 'held' : notDone ? 'dead_letter' : status;

/** Returns whether a success is unverified. @param {Pick<TaskSummary, 'status' | 'verification_status'>} task */
export const isNotVerified = ({ status, verification_status: verification }) =>
  status === 'success' && verification !== 'verified';

/** @param {TaskStatus} status */
export const isOpen = (status) => ['queued', 'assigned', 'running', 'asks'].includes(status);

/** Formats JSON; returns any other text unchanged. @param {unknown} value */
export function formatJson(value) {
  if (typeof value !== 'string') return JSON.stringify(value, null, 2) ?? '';
  try {
    const parsed = JSON.parse(value);
    return typeof parsed === 'object' && parsed !== null ? JSON.stringify(parsed, null, 2) : value;
  } catch {
    return value;
  }
}

/** Returns the last two parts of a path or address, for narrow places. @param {string | null | undefined} repo */
export function shortenRepo(repo) {
  if (!repo) return '';
  const parts = repo
    .replace(/\/+$/, '')
    .replace(/\.git$/, '')
    .split(/[/:]/);
  return parts.slice(-2).join('/').replace(/^\//, '');
}

/** Formats a position on a time axis, with the precision of its ticks. @param {number} ms @param {number} stepMs */
export function formatClockTime(ms, stepMs) {
  if (stepMs < 100) return `${Math.round(ms)} ms`;
  if (stepMs < 1000) return `${(ms / 1000).toFixed(1)} s`;
  const seconds = Math.round(ms / 1000);
  if (seconds < 60) return `${seconds} s`;
  /** @param {number} value */
  const padNumber = (value) => String(value).padStart(2, '0');
  const hours = Math.floor(seconds / 3600);
  const minutes = Math.floor((seconds % 3600) / 60);
  return hours > 0
    ? `${hours}:${padNumber(minutes)}:${padNumber(seconds % 60)}`
    : `${minutes}:${padNumber(seconds % 60)}`;
}

const dayMs = 864e5;

/** Returns about four round ticks on an axis of `spanMs`, of any length. @param {number} spanMs */
export function computeTicks(spanMs) {
  const step = roundStep(spanMs / 4);
  return Array.from({ length: Math.floor(spanMs / step) + 1 }, (_, index) => ({
    at: index * step,
    label: index === 0 ? '0' : formatClockTime(index * step, step),
  }));
}

/**
 * Rounds a duration up to a usual step of an axis: 1, 2, 5, 10, … ms, then round seconds, minutes, hours, or whole days.
 * @param {number} ms
 */
export function roundStep(ms) {
  const steps = [
    1, 2, 5, 10, 20, 50, 100, 200, 500, 1e3, 2e3, 5e3, 1e4, 1.5e4, 3e4, 6e4, 12e4, 3e5, 6e5, 9e5, 18e5, 36e5,
    72e5, 144e5,
  ];
  return steps.find((step) => step >= ms) ?? Math.ceil(ms / dayMs) * dayMs;
}

/* How a task is named elsewhere on the page: its address, a link to it, its state. */
import { h } from './dom.js';
import { statusNames } from './format.js';
/** @import { TaskStatus } from '../page-types.ts' */

/** @param {string} taskId */
export const taskHref = (taskId) => `#/task/${encodeURIComponent(taskId)}`;
/** Under its title, where that is known. @param {string} taskId @param {string} [title] */
export const taskLink = (taskId, title) => h('a', { href: taskHref(taskId), title: taskId }, title || taskId);
/** @param {TaskStatus} status */
export const statusBadge = (status) => h(`span.badge.${status}`, {}, statusNames[status] ?? status);
/** Where the API has a task, or something of it. @param {string} taskId */
export const taskPath = (taskId, rest = '') => `api/tasks/${encodeURIComponent(taskId)}${rest}`;

/* How a task is named elsewhere on the page: its address, a link to it, its state. */
import { h } from './dom.js';
import { statusKind, statusName } from './format.js';
/** @import { Badged } from './format.js' */

/** @param {string} taskId */
export const taskHref = (taskId) => `#/task/${encodeURIComponent(taskId)}`;
/** Under its title, where that is known. @param {string} taskId @param {string} [title] */
export const taskLink = (taskId, title) => h('a', { href: taskHref(taskId), title: taskId }, title || taskId);
/** @param {Badged} task */
export const statusBadge = (task) => h(`span.badge.${statusKind(task)}`, statusName(task));
/** Where the API has a task, or something of it. @param {string} taskId */
export const taskPath = (taskId, rest = '') => `api/tasks/${encodeURIComponent(taskId)}${rest}`;

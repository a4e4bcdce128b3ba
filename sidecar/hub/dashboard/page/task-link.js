/* References to a task: its address, a link to it, its state. */
import { h } from './dom.js';
import { statusKind, statusName } from './format.js';
/** @import { Badged } from './format.js' */

/** @param {string} taskId */
export const taskHref = (taskId) => `#/task/${encodeURIComponent(taskId)}`;
/** Creates a link with the task's title, or its id. @param {string} taskId @param {string} [title] */
export const taskLink = (taskId, title) => h('a', { href: taskHref(taskId), title: taskId }, title || taskId);
/** @param {Badged} task */
export const statusBadge = (task) => h(`span.badge.${statusKind(task)}`, statusName(task));
/** Returns the API path of a task or of a part of it. @param {string} taskId */
export const taskPath = (taskId, rest = '') => `api/tasks/${encodeURIComponent(taskId)}${rest}`;

/* References to a task: its address, a link to it, its state. */
import { h } from './dom.js';
import { statusKindOf, statusNameOf } from './format.js';
/** @import { BadgedTask } from './format.js' */

/** @param {string} taskId */
export const formatTaskHref = (taskId) => `#/task/${encodeURIComponent(taskId)}`;
/** Creates a link with the task's title, or its id. @param {string} taskId @param {string} [title] */
export const createTaskLink = (taskId, title) =>
  h('a', { href: formatTaskHref(taskId), title: taskId }, title || taskId);
/** @param {BadgedTask} task */
export const createStatusBadge = (task) => h(`span.badge.${statusKindOf(task)}`, statusNameOf(task));
/** Returns the API path of a task, or of a part such as its events. @param {string} taskId */
export const formatTaskPath = (taskId, rest = '') => `api/tasks/${encodeURIComponent(taskId)}${rest}`;

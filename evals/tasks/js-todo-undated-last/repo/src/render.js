const MARKS = { high: '!', normal: ' ', low: '.' };

/** One line for a task: number, state, priority, title, due date. */
export function renderTask(task) {
  const state = task.done ? 'x' : ' ';
  const due = task.due ? ` (due ${task.due})` : '';
  return `${String(task.id).padStart(3)} [${state}] ${MARKS[task.priority] ?? ' '} ${task.title}${due}`;
}

export function renderList(tasks) {
  if (tasks.length === 0) return 'nothing to do';
  return tasks.map(renderTask).join('\n');
}

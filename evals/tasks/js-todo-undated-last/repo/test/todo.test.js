import assert from 'node:assert/strict';
import { test } from 'node:test';
import { renderList } from '../src/render.js';
import { TodoList } from '../src/todo.js';

const titles = (tasks) => tasks.map((task) => task.title);

test('by due date', () => {
  const todo = new TodoList();
  todo.add('taxes', { due: '2024-07-31' });
  todo.add('dentist', { due: '2024-06-03' });
  assert.deepEqual(titles(todo.list({ sort: 'due' })), ['dentist', 'taxes']);
});

test('undated tasks come last', () => {
  const todo = new TodoList();
  todo.add('read');
  todo.add('taxes', { due: '2024-07-31' });
  todo.add('dentist', { due: '2024-06-03' });
  assert.deepEqual(titles(todo.list({ sort: 'due' })), ['dentist', 'taxes', 'read']);
});

test('by priority', () => {
  const todo = new TodoList();
  todo.add('b', { priority: 'low' });
  todo.add('a', { priority: 'high' });
  assert.deepEqual(titles(todo.list({ sort: 'priority' })), ['a', 'b']);
});

test('only open tasks', () => {
  const todo = new TodoList();
  todo.add('done already');
  todo.add('still open', { due: '2024-06-03' });
  todo.complete(1);
  assert.equal(renderList(todo.list({ open: true })), '  2 [ ]   still open (due 2024-06-03)');
});

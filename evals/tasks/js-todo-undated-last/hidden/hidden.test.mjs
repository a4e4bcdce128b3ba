import assert from 'node:assert/strict';
import { test } from 'node:test';
import { renderList } from './src/render.js';
import { TodoList } from './src/todo.js';

function filled() {
  const todo = new TodoList();
  todo.add('u1');
  todo.add('late', { due: '2024-12-01' });
  todo.add('u2', { priority: 'high' });
  todo.add('early', { due: '2024-01-15' });
  todo.add('u3');
  todo.add('early too', { due: '2024-01-15' });
  todo.add('middle', { due: '2024-05-31' });
  return todo;
}
const titles = (tasks) => tasks.map((task) => task.title);

test('dated first, undated behind in the order added', () => {
  assert.deepEqual(titles(filled().list({ sort: 'due' })), ['early', 'early too', 'middle', 'late', 'u1', 'u2', 'u3']);
});

test('a task that loses its date goes to its place among the undated', () => {
  const todo = filled();
  todo.postpone(4, null);
  assert.deepEqual(titles(todo.list({ sort: 'due' })), ['early too', 'middle', 'late', 'u1', 'u2', 'early', 'u3']);
});

test('only undated', () => {
  const todo = new TodoList();
  for (const title of ['c', 'a', 'b']) todo.add(title);
  assert.deepEqual(titles(todo.list({ sort: 'due' })), ['c', 'a', 'b']);
});

test('what stays', () => {
  const todo = filled();
  assert.deepEqual(titles(todo.list()), ['u1', 'late', 'u2', 'early', 'u3', 'early too', 'middle']);
  assert.equal(todo.list({ sort: 'priority' })[0].title, 'u2');
  assert.deepEqual(titles(todo.list({ sort: 'title' })).slice(0, 2), ['early', 'early too']);
  assert.equal(todo.list({ sort: 'due' }).at(-1).due, null);
  assert.match(renderList(todo.list({ sort: 'due' })), /late \(due 2024-12-01\)\n  1 \[ \]   u1\n/);
  assert.throws(() => todo.list({ sort: 'size' }), /unknown order: size/);
});

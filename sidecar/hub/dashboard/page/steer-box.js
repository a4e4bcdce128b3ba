/* The text field for steering a running task. */
import { messageOf, request } from './api.js';
import { h, announce } from './dom.js';
import { formatTaskPath } from './task-link.js';

export class SteerBox {
  /** `taskId` returns the task to steer. @param {() => string | undefined} taskId */
  constructor(taskId) {
    this.taskId = taskId;
    this.problem = h('span.problem', { role: 'alert' });
    this.text = h('textarea', {
      rows: '1',
      id: 'steer',
      maxlength: '20000',
      placeholder: 'Text for the model of this task…',
      onkeydown: (/** @type {KeyboardEvent} */ event) => {
        if (event.key !== 'Enter' || event.shiftKey || event.isComposing) return;
        event.preventDefault();
        this.element.requestSubmit();
      },
    });
    this.element = h(
      'form.steer',
      {
        onsubmit: (/** @type {Event} */ event) => {
          event.preventDefault();
          void this.#send();
        },
      },
      h('label.unseen', { for: 'steer' }, 'Steer the task'),
      this.text,
      h('button', { type: 'submit' }, 'Steer'),
      this.problem,
    );
  }

  clear() {
    this.text.value = '';
    this.problem.textContent = '';
  }

  async #send() {
    const text = this.text.value.trim();
    const taskId = this.taskId();
    if (text === '' || taskId === undefined) return;
    this.problem.textContent = '';
    try {
      await request(formatTaskPath(taskId, '/steer'), { method: 'POST', body: { text } });
      this.text.value = '';
      announce('Sent');
    } catch (error) {
      this.problem.textContent = messageOf(error);
    }
  }
}

/* The line in which a person says something to a running task. */
import { request } from './api.js';
import { h, say } from './dom.js';
import { taskPath } from './task-link.js';

export class SteerBox {
  /** `taskId` tells whom the words are for. */
  constructor(taskId) {
    this.taskId = taskId;
    this.problem = h('span.problem', { role: 'alert' });
    this.text = h('textarea', {
      rows: '1',
      id: 'steer',
      maxlength: '20000',
      placeholder: 'Say something to the task…',
      onkeydown: (event) => {
        if (event.key !== 'Enter' || event.shiftKey || event.isComposing) return;
        event.preventDefault();
        this.element.requestSubmit();
      },
    });
    this.element = h(
      'form.steer',
      {
        onsubmit: (event) => {
          event.preventDefault();
          this.#send();
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
    if (text === '') return;
    this.problem.textContent = '';
    try {
      await request(taskPath(this.taskId(), '/steer'), { method: 'POST', body: { text } });
      this.text.value = '';
      say('Sent');
    } catch (error) {
      this.problem.textContent = error.message;
    }
  }
}

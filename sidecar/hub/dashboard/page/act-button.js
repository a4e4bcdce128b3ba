/* A button that asks the hub for something: it cannot be pressed twice at once and says what went wrong. */
import { messageOf } from './api.js';
import { h } from './dom.js';

/** @param {string} label @param {string} kind @param {() => Promise<void>} act */
export function actButton(label, kind, act) {
  const problem = h('span.problem', { role: 'alert' });
  const button = h(
    `button.${kind}`,
    {
      onclick: async () => {
        button.disabled = true;
        problem.textContent = '';
        try {
          await act();
        } catch (error) {
          problem.textContent = messageOf(error);
        }
        button.disabled = false;
      },
    },
    label,
  );
  return [button, problem];
}

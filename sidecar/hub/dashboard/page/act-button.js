/* A button that asks the hub for something: it cannot be pressed twice at once and says what went wrong. */
import { h } from './dom.js';

export function actButton(label, kind, act) {
  const problem = h('span.problem', { role: 'alert' });
  const button = h(
    `button${kind ? `.${kind}` : ''}`,
    {
      onclick: async () => {
        button.disabled = true;
        problem.textContent = '';
        try {
          await act();
        } catch (error) {
          problem.textContent = error.message;
        }
        button.disabled = false;
      },
    },
    label,
  );
  return [button, problem];
}

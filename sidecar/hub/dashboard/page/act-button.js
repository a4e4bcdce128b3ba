/* Buttons with an action: they are disabled during a request and show its error. */
import { messageOf } from './api.js';
import { h, createIcon, announce } from './dom.js';

/** @param {string} label @param {string} kind @param {() => Promise<void>} act */
export function createActionButton(label, kind, act) {
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

/** Creates a button that copies a text. @param {string} label @param {() => string} text */
export const createCopyButton = (label, text) =>
  h('button.small', { onclick: () => copyText(text()) }, createIcon('copy'), label);

/** @param {string} text */
async function copyText(text) {
  try {
    await navigator.clipboard.writeText(text);
    announce('Copied');
  } catch {
    // Browsers allow the clipboard only on https and localhost; elsewhere the user can copy from a text box.
    const box = h('textarea', { readonly: true, 'aria-label': 'Text to copy', rows: '3', value: text });
    box.addEventListener('blur', () => box.remove());
    document.body.append(box);
    box.select();
    announce('The browser does not allow copying here: press Ctrl+C');
  }
}

/* Buttons that do something: those that ask the hub cannot be pressed twice at once and say what went wrong. */
import { messageOf } from './api.js';
import { h, icon, say } from './dom.js';

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

/** A button that copies. @param {string} label @param {() => string} text */
export const copyButton = (label, text) =>
  h('button.small', { onclick: () => copy(text()) }, icon('copy'), label);

/** @param {string} text */
async function copy(text) {
  try {
    await navigator.clipboard.writeText(text);
    say('Copied');
  } catch {
    // Browsers give the clipboard to pages of https and of this machine only; of others people can copy it by hand.
    const box = h('textarea', { readonly: true, 'aria-label': 'To be copied', rows: '3', value: text });
    box.addEventListener('blur', () => box.remove());
    document.body.append(box);
    box.select();
    say('The browser does not let this page copy: press Ctrl+C');
  }
}

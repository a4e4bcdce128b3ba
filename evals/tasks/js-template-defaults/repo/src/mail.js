import { render } from './render.js';
import { templates } from './templates.js';

/** The subject and the text of a mail. */
export function createMail(kind, values) {
  const template = templates[kind];
  if (!template) throw new Error(`no template: ${kind}`);
  return { subject: render(template.subject, values), text: render(template.text, values) };
}

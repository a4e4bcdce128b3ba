/* The open requests of a task, with buttons to answer them. */
import { createActionButton } from './act-button.js';
import { request } from './api.js';
import { h, createIcon, announce } from './dom.js';
import { mayAnswer } from './me.js';
import { formatTaskPath } from './task-link.js';
/** @import { Approval, TaskDetail } from '../page-types.ts' */

/** @type {Record<string, string>} */
const titles = {
  summary: 'Accept this summary?',
  question: 'The task has a question',
  command: 'Allow this command?',
};

/**
 * Answers that the user has not sent yet, by request. They are retained because a request disappears and returns when
 * its worker's connection breaks.
 * @type {Map<string, string>}
 */
const drafts = new Map();

/** Renders one box per open request. @param {TaskDetail} detail */
export const renderRequests = ({ approvals, submitted_by: submitter }) =>
  approvals.filter(({ status }) => status === 'pending').map((one) => renderRequest(one, submitter));

/** @param {Approval} approval @param {string} submitter */
function renderRequest(approval, submitter) {
  const key = `${approval.task_id} ${approval.approval_id}`;
  const isQuestion = approval.kind === 'question';
  /** @type {HTMLTextAreaElement} */
  const correction = h('textarea', {
    rows: '2',
    'aria-label': isQuestion ? 'Answer' : 'Correction or note',
    placeholder: isQuestion ? 'Your answer' : 'A correction, or a note',
    value: drafts.get(key) ?? '',
    oninput: () => drafts.set(key, correction.value),
  });
  /** @param {'accepted' | 'corrected' | 'rejected'} decision */
  const createDecision = (decision) => async () => {
    const text = correction.value.trim();
    await request(formatTaskPath(approval.task_id, '/approvals'), {
      method: 'POST',
      body: { approval_id: approval.approval_id, decision, ...(text && { text }) },
    });
    drafts.delete(key);
    announce(`Answered: ${decision}`);
  };
  return h(
    'section.ask',
    { 'aria-label': 'Approval' },
    h('h3', createIcon('question'), titles[approval.kind] ?? 'The task asks for an answer'),
    h('pre', { tabindex: '0' }, approval.summary),
    mayAnswer(approval, submitter)
      ? [
          correction,
          h(
            'div.actions',
            ...(isQuestion
              ? [
                  createActionButton('Send answer', 'primary', createDecision('corrected')),
                  createActionButton('Accept', '', createDecision('accepted')),
                ]
              : [
                  createActionButton('Accept', 'primary', createDecision('accepted')),
                  createActionButton('Send correction', '', createDecision('corrected')),
                ]),
            createActionButton('Reject', 'danger', createDecision('rejected')),
          ),
        ]
      : h(
          'p.note',
          approval.kind === 'command'
            ? 'Only an admin of this hub can answer.'
            : `Only ${submitter}, who submitted the task, or an admin of this hub can answer.`,
        ),
  );
}

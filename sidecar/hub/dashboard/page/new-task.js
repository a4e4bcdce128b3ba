/* The form of a new or resubmitted task, with known values to choose from and the workers that could run it. */
import { actButton } from './act-button.js';
import { request } from './api.js';
import { openDialog } from './dialogs.js';
import { fill, h, announce } from './dom.js';
import { plural } from './format.js';
import { isNumber, isRecord, records, textOf } from './lenient.js';
/** @import { Props, TaskDetail, TaskSummary, Worker } from '../page-types.ts' */
/** @typedef {ReturnType<typeof createControls>} Controls */

const minuteMs = 60_000;

/** @param {Props} [props] */
const text = (props) => h('input', { type: 'text', autocomplete: 'off', maxlength: '4096', ...props });
/** @param {Props} props */
const figure = (props) => text({ type: 'number', min: '1', ...props });

const createControls = () => ({
  description: h('textarea', { rows: '5', required: true, maxlength: '200000' }),
  repo: text({ list: 'known-repo' }),
  branch: text({ maxlength: '512' }),
  checks: h('textarea', { rows: '2', maxlength: '20000', placeholder: 'npm test' }),
  allowed: text(),
  model: text({ maxlength: '256', list: 'known-model' }),
  worker: text({ maxlength: '128', list: 'known-worker' }),
  labels: text({ list: 'known-label' }),
  minutes: figure({ max: '100000', placeholder: 'Default limit' }),
  tokens: figure({ max: '1000000000', placeholder: 'No own budget' }),
  tries: figure({ max: '100', placeholder: '1' }),
  failures: figure({ max: '100', placeholder: '3' }),
  priority: text({ type: 'number', value: '0', min: '-1000', max: '1000' }),
  readOnly: h('input', { type: 'checkbox' }),
});

/**
 * Opens the form. `again`: the task whose submission fills it. `onMade` gets the new task.
 * @param {{ workers: Worker[], tasks: TaskSummary[], again?: TaskDetail | undefined, onMade: (task: TaskSummary) => void }} how
 */
export function openNewTask({ workers, tasks, again, onMade }) {
  const controls = createControls();
  const before = again ? submissionOf(again) : {};
  if (again) fillControls(controls, before);
  const able = h('p.able', { role: 'status' });
  const look = () => fill(able, whoCan(controls, workers));
  const submit = async () => {
    if (!form.reportValidity()) return;
    const task = await request('api/tasks', { method: 'POST', body: readControls(controls, before) });
    dialog.close();
    announce('Task submitted');
    onMade(task);
  };
  /** @param {keyof Controls} name @param {string} label @param {string} [note] */
  const field = (name, label, note) =>
    h(
      'p.field',
      h('label', { for: `new-${name}` }, label),
      Object.assign(controls[name], { id: `new-${name}` }),
      note ? h('span.note', note) : null,
    );
  const kept = otherSteps(before).length;
  const form = h(
    'form',
    { onsubmit: (/** @type {Event} */ event) => event.preventDefault(), oninput: look },
    field('description', 'What to do'),
    h(
      'div.pair',
      field(
        'repo',
        'Repository',
        'Folder on the worker, or an https or ssh address. Empty: an empty folder.',
      ),
      field('branch', 'Branch', 'Empty: the default branch.'),
    ),
    field(
      'checks',
      'Commands that must succeed',
      kept > 0
        ? `One per line. ${plural(kept, 'other check')} of the first task ${kept === 1 ? 'stays' : 'stay'}.`
        : 'One per line.',
    ),
    field(
      'allowed',
      'Tests and settings that it may change',
      'Globs, separated by commas; ** means all. Empty: only new tests.',
    ),
    h(
      'div.triple',
      field('model', 'Model'),
      field('worker', 'Only this worker'),
      field('labels', 'Labels of the worker'),
    ),
    able,
    h(
      'div.triple',
      field('minutes', 'Time limit, minutes'),
      field('tokens', 'Budget, tokens'),
      field('priority', 'Priority'),
      field('tries', 'Attempts', 'While checks fail.'),
      field('failures', 'Failures', 'Until it is given up.'),
      h(
        'p.field.tickbox',
        controls.readOnly,
        h('label', { for: 'new-readOnly' }, 'Read only: change no file'),
      ),
    ),
    choicesOf(workers, tasks),
    h('div.actions', actButton(again ? 'Submit again' : 'Submit', 'primary', submit)),
  );
  controls.readOnly.id = 'new-readOnly';
  const dialog = openDialog(again ? 'Edit and submit again' : 'New task', form);
  look();
  controls.description.focus();
}

/** Creates the lists of known values, each with its origin. @param {Worker[]} workers @param {TaskSummary[]} tasks */
function choicesOf(workers, tasks) {
  const there = workers.filter(({ connected }) => connected);
  /** @param {'models' | 'labels'} key */
  const byWorker = (key) =>
    [...new Set(there.flatMap((worker) => worker[key]))].sort().map((value) => {
      const names = there.filter((worker) => worker[key].includes(value)).map(({ name }) => name);
      return /** @type {const} */ ([value, names.join(', ')]);
    });
  const known = {
    model: byWorker('models'),
    label: byWorker('labels'),
    worker: workers.map(
      ({ agent_id: id, models, connected }) =>
        /** @type {const} */ ([id, connected ? models.join(', ') : 'offline']),
    ),
    repo: [...new Set(tasks.flatMap(({ repo }) => repo ?? []))].map(
      (repo) => /** @type {const} */ ([repo, '']),
    ),
  };
  return Object.entries(known).map(([name, values]) =>
    h(
      'datalist',
      { id: `known-${name}` },
      values
        .slice(0, 200)
        .map(([value, from]) => h('option', { value, label: from ? `${value} – ${from}` : value })),
    ),
  );
}

/** Shows which connected workers could run the task. @param {Controls} controls @param {Worker[]} workers */
function whoCan(controls, workers) {
  const model = controls.model.value.trim();
  const only = controls.worker.value.trim();
  const labels = listOf(controls.labels.value);
  const there = workers.filter(({ connected }) => connected);
  if (there.length === 0) return h('span.problem', 'No worker is connected: the task waits for one.');
  const able = there.filter(
    (one) =>
      (only === '' || one.agent_id === only) &&
      labels.every((label) => one.labels.includes(label)) &&
      (model === '' || hasModel(one, model)),
  );
  if (able.length > 0) {
    const names = able
      .slice(0, 4)
      .map(({ name }) => name)
      .join(', ');
    return h('span.note', `Can do it: ${names}${able.length > 4 ? ` and ${able.length - 4} more` : ''}`);
  }
  const wants = [
    only && `is named ${only}`,
    labels.length > 0 && `has the ${labels.length === 1 ? 'label' : 'labels'} ${labels.join(', ')}`,
    model && `has ${model}`,
  ].filter(Boolean);
  const models = [...new Set(there.flatMap((one) => one.models))].sort();
  const offer = model && models.length > 0 ? ` They have ${models.slice(0, 8).join(', ')}.` : '';
  return h('span.problem', `No connected worker ${wants.join(' and ')}: the task waits for one.${offer}`);
}

/** Returns whether a worker has a model; a name without a tag means `latest`. @param {Worker} worker @param {string} model */
function hasModel({ models }, model) {
  /** @param {string} name */
  const whole = (name) => (name.includes(':') ? name : `${name}:latest`);
  return models.some((one) => whole(one) === whole(model));
}

/** Returns the submission of a task, without the fields of that one submission. @param {TaskDetail} detail */
function submissionOf({ content, labels, agent_id: worker, priority, max_attempts: failures }) {
  const { routing_decision: routing, follow_up_of: _origin, ...rest } = content;
  const { selected_model: model, ...wishes } = isRecord(routing) ? routing : {};
  const routed = Object.keys(wishes).length > 0 ? { routing_decision: wishes } : {};
  return {
    ...rest,
    ...routed,
    model,
    labels,
    priority,
    max_attempts: failures,
    agent_id: worker ?? undefined,
  };
}

/** @param {Record<string, unknown>} content */
const otherSteps = ({ verification_steps: steps }) => records(steps).filter((step) => !isCommand(step));
/** @param {Record<string, unknown>} step */
const isCommand = ({ type }) => type === 'command_succeeds';

/** @param {Controls} controls @param {Record<string, unknown>} before */
function fillControls(controls, before) {
  const { metadata, budget, may_change_checks: allowed, verification_steps: steps } = before;
  const { timeout_ms: timeoutMs, attempts, read_only: readOnly } = isRecord(metadata) ? metadata : {};
  /** @type {Partial<Record<keyof Controls, unknown>>} */
  const values = {
    description: before.description,
    repo: before.repo,
    branch: before.branch,
    checks: records(steps)
      .filter(isCommand)
      .map(({ target }) => textOf(target))
      .join('\n'),
    allowed: allowed === true ? '**' : Array.isArray(allowed) ? allowed.join(', ') : '',
    model: before.model,
    worker: before.agent_id,
    labels: Array.isArray(before.labels) ? before.labels.join(', ') : '',
    minutes: isNumber(timeoutMs) ? timeoutMs / minuteMs : '',
    tokens: isRecord(budget) ? budget.max_tokens : '',
    tries: attempts,
    failures: before.max_attempts,
    priority: before.priority,
  };
  for (const [name, value] of Object.entries(values)) {
    controls[/** @type {keyof Controls} */ (name)].value = textOf(value);
  }
  controls.readOnly.checked = readOnly === true;
}

/**
 * Returns the submission: empty fields are left out, and fields that the form does not show are as in `before`.
 * @param {Controls} controls @param {Record<string, unknown>} before
 */
function readControls(controls, before) {
  /** @param {keyof Controls} name */
  const value = (name) => controls[name].value.trim();
  /** @param {keyof Controls} name */
  const numberOf = (name) => (value(name) === '' ? undefined : Number(value(name)));
  const minutes = numberOf('minutes');
  const steps = [
    ...listOf(controls.checks.value, '\n').map((target) => ({ type: 'command_succeeds', target })),
    ...otherSteps(before),
  ];
  const globs = listOf(controls.allowed.value);
  return withoutEmpty({
    ...before,
    description: controls.description.value,
    repo: value('repo'),
    branch: value('branch'),
    model: value('model'),
    agent_id: value('worker'),
    labels: listOf(controls.labels.value),
    verification_steps: steps,
    may_change_checks: globs.length > 0 ? globs : undefined,
    max_attempts: numberOf('failures'),
    priority: numberOf('priority') ?? 0,
    budget: withoutEmpty({
      ...(isRecord(before.budget) ? before.budget : {}),
      max_tokens: numberOf('tokens'),
    }),
    metadata: withoutEmpty({
      ...(isRecord(before.metadata) ? before.metadata : {}),
      timeout_ms: minutes === undefined ? undefined : Math.round(minutes * minuteMs),
      attempts: numberOf('tries'),
      read_only: controls.readOnly.checked || undefined,
    }),
  });
}

/** Removes undefined values, empty texts, lists and objects. @param {Record<string, unknown>} fields */
const withoutEmpty = (fields) =>
  Object.fromEntries(
    Object.entries(fields).filter(
      ([, value]) =>
        value !== undefined && value !== '' && !(isRecord(value) && Object.keys(value).length === 0),
    ),
  );

/** @param {string} value */
const listOf = (value, between = ',') =>
  value
    .split(between)
    .map((one) => one.trim())
    .filter(Boolean);

/* The form of a new or resubmitted task, with known values to choose from and the workers that could run it. */
import { createActionButton } from './act-button.js';
import { request } from './api.js';
import { openDialog } from './dialogs.js';
import { replaceContent, h, announce } from './dom.js';
import { formatPlural } from './format.js';
import { isNumber, isRecord, recordsOf, textOf } from './lenient.js';
/** @import { Props, TaskDetail, TaskSummary, Worker } from '../page-types.ts' */
/** @typedef {ReturnType<typeof createControls>} Controls */

const minuteMs = 60_000;

/** @param {Props} [props] */
const createTextInput = (props) =>
  h('input', { type: 'text', autocomplete: 'off', maxlength: '4096', ...props });
/** @param {Props} props */
const createNumberInput = (props) => createTextInput({ type: 'number', min: '1', ...props });

const createControls = () => ({
  description: h('textarea', { rows: '5', required: true, maxlength: '200000' }),
  repo: createTextInput({ list: 'known-repo' }),
  branch: createTextInput({ maxlength: '512' }),
  checks: h('textarea', { rows: '2', maxlength: '20000', placeholder: 'npm test' }),
  allowed: createTextInput(),
  model: createTextInput({ maxlength: '256', list: 'known-model' }),
  worker: createTextInput({ maxlength: '128', list: 'known-worker' }),
  labels: createTextInput({ list: 'known-label' }),
  minutes: createNumberInput({ max: '100000', placeholder: 'Default limit' }),
  tokens: createNumberInput({ max: '1000000000', placeholder: 'No limit' }),
  tries: createNumberInput({ max: '100', placeholder: '1' }),
  failures: createNumberInput({ max: '100', placeholder: '3' }),
  priority: createTextInput({ type: 'number', value: '0', min: '-1000', max: '1000' }),
  readOnly: h('input', { type: 'checkbox' }),
});

/**
 * Opens the form. `again`: the task to resubmit, whose values fill the form. `onCreated` receives the new task.
 * @param {{ workers: Worker[], tasks: TaskSummary[], again?: TaskDetail | undefined, onCreated: (task: TaskSummary) => void }} how
 */
export function openNewTask({ workers, tasks, again, onCreated }) {
  const controls = createControls();
  const before = again ? submissionOf(again) : {};
  if (again) fillControls(controls, before);
  const ableWorkers = h('p.able', { role: 'status' });
  const showAbleWorkers = () => replaceContent(ableWorkers, describeAbleWorkers(controls, workers));
  const submit = async () => {
    if (!form.reportValidity()) return;
    const task = await request('api/tasks', { method: 'POST', body: readControls(controls, before) });
    dialog.close();
    announce('Task submitted');
    onCreated(task);
  };
  /** @param {keyof Controls} name @param {string} label @param {string} [note] */
  const createField = (name, label, note) =>
    h(
      'p.field',
      h('label', { for: `new-${name}` }, label),
      Object.assign(controls[name], { id: `new-${name}` }),
      note ? h('span.note', note) : null,
    );
  const otherStepCount = otherStepsOf(before).length;
  const form = h(
    'form',
    { onsubmit: (/** @type {Event} */ event) => event.preventDefault(), oninput: showAbleWorkers },
    createField('description', 'What to do'),
    h(
      'div.pair',
      createField(
        'repo',
        'Repository',
        'Folder on the worker’s machine, or an https or ssh address. If empty: a new, empty folder.',
      ),
      createField('branch', 'Branch', 'If empty: the default branch.'),
    ),
    createField(
      'checks',
      'Commands that must succeed',
      otherStepCount > 0
        ? `One per line. ${formatPlural(otherStepCount, 'other check')} of the original task also ${otherStepCount === 1 ? 'applies' : 'apply'}.`
        : 'One per line.',
    ),
    createField(
      'allowed',
      'Tests and settings that the task may change',
      'Globs, separated by commas; ** means all files. If empty: only new tests.',
    ),
    h(
      'div.triple',
      createField('model', 'Model'),
      createField('worker', 'Only this worker'),
      createField('labels', 'Labels of the worker'),
    ),
    ableWorkers,
    h(
      'div.triple',
      createField('minutes', 'Time limit, minutes'),
      createField('tokens', 'Budget, tokens'),
      createField('priority', 'Priority'),
      createField('tries', 'Attempts', 'Maximum number of attempts if checks fail.'),
      createField('failures', 'Failures', 'The hub gives up the task after this many failed attempts.'),
      h(
        'p.field.tickbox',
        controls.readOnly,
        h('label', { for: 'new-readOnly' }, 'Read-only: change no files'),
      ),
    ),
    createChoices(workers, tasks),
    h('div.actions', createActionButton(again ? 'Submit again' : 'Submit', 'primary', submit)),
  );
  controls.readOnly.id = 'new-readOnly';
  const dialog = openDialog(again ? 'Edit and submit again' : 'New task', form);
  showAbleWorkers();
  controls.description.focus();
}

/**
 * Creates the lists of suggested values; each value has a note on its origin.
 * @param {Worker[]} workers @param {TaskSummary[]} tasks
 */
function createChoices(workers, tasks) {
  const connectedWorkers = workers.filter(({ connected }) => connected);
  /** @param {'models' | 'labels'} key */
  const valuesByWorker = (key) =>
    [...new Set(connectedWorkers.flatMap((worker) => worker[key]))].sort().map((value) => {
      const names = connectedWorkers.filter((worker) => worker[key].includes(value)).map(({ name }) => name);
      return /** @type {const} */ ([value, names.join(', ')]);
    });
  const knownValues = {
    model: valuesByWorker('models'),
    label: valuesByWorker('labels'),
    worker: workers.map(
      ({ agent_id: id, models, connected }) =>
        /** @type {const} */ ([id, connected ? models.join(', ') : 'offline']),
    ),
    repo: [...new Set(tasks.flatMap(({ repo }) => repo ?? []))].map(
      (repo) => /** @type {const} */ ([repo, '']),
    ),
  };
  return Object.entries(knownValues).map(([name, values]) =>
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
function describeAbleWorkers(controls, workers) {
  const model = controls.model.value.trim();
  const workerName = controls.worker.value.trim();
  const labels = parseList(controls.labels.value);
  const connectedWorkers = workers.filter(({ connected }) => connected);
  if (connectedWorkers.length === 0)
    return h('span.problem', 'No worker is connected: the task waits for one.');
  const fittingWorkers = connectedWorkers.filter(
    (one) =>
      (workerName === '' || one.agent_id === workerName) &&
      labels.every((label) => one.labels.includes(label)) &&
      (model === '' || hasModel(one, model)),
  );
  if (fittingWorkers.length > 0) {
    const names = fittingWorkers
      .slice(0, 4)
      .map(({ name }) => name)
      .join(', ');
    return h(
      'span.note',
      `Workers that can run the task: ${names}${fittingWorkers.length > 4 ? ` and ${fittingWorkers.length - 4} more` : ''}`,
    );
  }
  const requirements = [
    workerName && `is named ${workerName}`,
    labels.length > 0 && `has the ${labels.length === 1 ? 'label' : 'labels'} ${labels.join(', ')}`,
    model && `has ${model}`,
  ].filter(Boolean);
  const models = [...new Set(connectedWorkers.flatMap((one) => one.models))].sort();
  const modelsText =
    model && models.length > 0
      ? ` Models of the connected workers: ${models.slice(0, 8).join(', ')}${models.length > 8 ? ` and ${models.length - 8} more` : ''}.`
      : '';
  return h(
    'span.problem',
    `No connected worker ${requirements.join(' and ')}: the task waits for one.${modelsText}`,
  );
}

/** Returns whether a worker has a model; a name without a tag means `latest`. @param {Worker} worker @param {string} model */
function hasModel({ models }, model) {
  /** @param {string} name */
  const fullNameOf = (name) => (name.includes(':') ? name : `${name}:latest`);
  return models.some((one) => fullNameOf(one) === fullNameOf(model));
}

/**
 * Returns the submission of a task, without the fields that are different for each submission.
 * @param {TaskDetail} detail
 */
function submissionOf({ content, labels, agent_id: worker, priority, max_attempts: failures }) {
  const { routing_decision: routing, follow_up_of: _origin, ...rest } = content;
  const { selected_model: model, ...otherRouting } = isRecord(routing) ? routing : {};
  const routingFields = Object.keys(otherRouting).length > 0 ? { routing_decision: otherRouting } : {};
  return {
    ...rest,
    ...routingFields,
    model,
    labels,
    priority,
    max_attempts: failures,
    agent_id: worker ?? undefined,
  };
}

/** @param {Record<string, unknown>} content */
const otherStepsOf = ({ verification_steps: steps }) => recordsOf(steps).filter((step) => !isCommand(step));
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
    checks: recordsOf(steps)
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
 * Returns the submission. Empty fields are omitted; fields that the form does not show keep their value of `before`.
 * @param {Controls} controls @param {Record<string, unknown>} before
 */
function readControls(controls, before) {
  /** @param {keyof Controls} name */
  const valueOf = (name) => controls[name].value.trim();
  /** @param {keyof Controls} name */
  const numberOf = (name) => (valueOf(name) === '' ? undefined : Number(valueOf(name)));
  const minutes = numberOf('minutes');
  const steps = [
    ...parseList(controls.checks.value, '\n').map((target) => ({ type: 'command_succeeds', target })),
    ...otherStepsOf(before),
  ];
  const globs = parseList(controls.allowed.value);
  return removeEmptyFields({
    ...before,
    description: controls.description.value,
    repo: valueOf('repo'),
    branch: valueOf('branch'),
    model: valueOf('model'),
    agent_id: valueOf('worker'),
    labels: parseList(controls.labels.value),
    verification_steps: steps,
    may_change_checks: globs.length > 0 ? globs : undefined,
    max_attempts: numberOf('failures'),
    priority: numberOf('priority') ?? 0,
    budget: removeEmptyFields({
      ...(isRecord(before.budget) ? before.budget : {}),
      max_tokens: numberOf('tokens'),
    }),
    metadata: removeEmptyFields({
      ...(isRecord(before.metadata) ? before.metadata : {}),
      timeout_ms: minutes === undefined ? undefined : Math.round(minutes * minuteMs),
      attempts: numberOf('tries'),
      read_only: controls.readOnly.checked || undefined,
    }),
  });
}

/** Removes undefined values, empty texts, lists and objects. @param {Record<string, unknown>} fields */
const removeEmptyFields = (fields) =>
  Object.fromEntries(
    Object.entries(fields).filter(
      ([, value]) =>
        value !== undefined && value !== '' && !(isRecord(value) && Object.keys(value).length === 0),
    ),
  );

/** @param {string} value */
const parseList = (value, separator = ',') =>
  value
    .split(separator)
    .map((one) => one.trim())
    .filter(Boolean);

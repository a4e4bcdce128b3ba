/** The commands that use a hub's API, and their options. Their modules are loaded when they run. */
import { InvalidArgumentError, Option } from 'commander';
import {
  loadAction,
  createHubOption,
  createHubTokenOption,
  createJsonOption,
  createOutputOption,
  createRequireVerifiedOption,
  createTextOption,
  createWaitOption,
  createWatchOption,
  type OptionedCommand,
} from './shared-options.ts';
import {
  addTaskOptions,
  collectValue,
  parseNonEmpty,
  parsePositiveInteger,
  parseInteger,
} from './task-options.ts';

const TASK_STATUSES = 'asks queued assigned running success partial failed cancelled'.split(' ');

function parseStatuses(text: string): string {
  const statuses = text.split(',').map((status) => (status === 'dead_letter' ? 'failed' : status));
  if (statuses.every((status) => TASK_STATUSES.includes(status)))
    return statuses.map((status) => (status === 'failed' ? 'dead_letter' : status)).join(',');
  throw new InvalidArgumentError(`Write one or more of ${TASK_STATUSES.join(', ')}, separated by commas.`);
}

/** Adds the options that select a hub. */
type WithHub = (command: OptionedCommand) => OptionedCommand;

/** Adds the commands that create, list and revoke a hub's tokens. */
function addTokenCommands(program: OptionedCommand, withHub: WithHub): void {
  withHub(program.command('token').argument('<name>', 'worker or user of the token'))
    .description('Create a token of a hub, e.g. for a worker')
    .addOption(
      new Option('--role <role>', 'role of the token')
        .choices(['worker', 'submitter', 'viewer', 'admin'])
        .default('worker'),
    )
    .option('--expires <days>', 'days until it expires (default: never)', parsePositiveInteger)
    .action(loadAction(() => import('./commands/tokens.ts'), 'tokenCommand'));
  const tokens = program.command('tokens').description('List a hub’s tokens, or revoke one');
  withHub(tokens.command('list', { isDefault: true }))
    .description('List name, role, last use and expiry of each token')
    .action(loadAction(() => import('./commands/tokens.ts'), 'tokensCommand'));
  withHub(tokens.command('revoke').argument('<which>', 'name or id of a token'))
    .description('Revoke a token and close the connections and streams that use it')
    .action(loadAction(() => import('./commands/tokens.ts'), 'revokeCommand'));
}

export function addHubCommands(program: OptionedCommand): void {
  const withHub = (command: OptionedCommand) =>
    command.addOptions(createHubOption, createHubTokenOption, createJsonOption, createTextOption);
  withHub(addTaskOptions(program.command('submit').argument('[task]', 'description of the task')))
    .description('Submit a task to a hub')
    .addOptions(createWaitOption, createRequireVerifiedOption, createOutputOption)
    .option('--priority <n>', 'tasks with a higher number start first', parseInteger)
    .option('--label <label>', 'label that the worker must have (repeatable)', collectValue)
    .option('--worker <name>', 'the only worker that may run the task')
    .option('--delay <seconds>', 'delay the start by this many seconds', parsePositiveInteger)
    .option('--max-attempts <n>', 'failed attempts after which the task is given up', parsePositiveInteger)
    .option('--idempotency-key <key>', 'a repeated key returns the task of the first submission')
    .action(loadAction(() => import('./commands/task.ts'), 'submitCommand'));
  withHub(program.command('tasks'))
    .description('List a hub’s tasks, newest first')
    .option(
      '--status <status>',
      `only these, separated by commas: ${TASK_STATUSES.join(', ')}`,
      parseStatuses,
    )
    .addOption(
      new Option(
        '--outcome <outcome>',
        'only successes that are not verified, or tasks that are not done',
      ).choices(['unverified', 'not-done']),
    )
    .option('--limit <n>', 'maximum number of tasks', parsePositiveInteger, 20)
    .addOptions(createWatchOption)
    .action(loadAction(() => import('./commands/tasks.ts'), 'tasksCommand'));
  withHub(program.command('budgets'))
    .description('Show the daily budgets of a hub, its submitters and repositories, and their usage')
    .action(loadAction(() => import('./commands/budgets.ts'), 'budgetsCommand'));
  withHub(program.command('watch').argument('<id>', 'task; `last`: the one you submitted last from here'))
    .description('Follow a task until its end; the exit code is the task’s')
    .addOptions(createRequireVerifiedOption, createOutputOption)
    .action(loadAction(() => import('./commands/task.ts'), 'watchCommand'));
  addTokenCommands(program, withHub);
  program
    .command('mcp')
    .description('Serve MCP on stdin and stdout, for coding agents and editors that use a hub')
    .addOptions(createHubOption, createHubTokenOption)
    .action(loadAction(() => import('./commands/mcp.ts'), 'mcpCommand'));
  withHub(program.command('cancel').argument('<id>', 'task; `last`: the one you submitted last from here'))
    .description('Cancel a task')
    .action(loadAction(() => import('./commands/task.ts'), 'cancelCommand'));
  withHub(program.command('retry').argument('<id>', 'task that failed or was cancelled, or `last`'))
    .description('Queue a failed or cancelled task again and reset its failures')
    .addOptions(createWaitOption, createRequireVerifiedOption, createOutputOption)
    .action(loadAction(() => import('./commands/task.ts'), 'retryCommand'));
  withHub(
    program
      .command('steer')
      .argument('<id>', 'task; `last`: the one you submitted last from here')
      .argument('<text>', 'text for its model', parseNonEmpty),
  )
    .description('Send a text to the model of a queued or running task')
    .action(loadAction(() => import('./commands/task.ts'), 'steerCommand'));
  withHub(
    program
      .command('answer')
      .argument('<id>', 'task that asks, or `last`')
      .argument('<answer>', 'accept, reject, or a text', parseNonEmpty),
  )
    .description('Answer the question of a task, or allow its command')
    .action(loadAction(() => import('./commands/task.ts'), 'answerCommand'));
  withHub(program.command('follow-up').argument('<id>', 'task with a partial result, or `last`'))
    .description('Submit the follow-up of a partial result')
    .addOptions(createWaitOption, createRequireVerifiedOption, createOutputOption)
    .action(loadAction(() => import('./commands/task.ts'), 'followUpCommand'));
  addWorkersCommand(program, withHub);
}

function addWorkersCommand(program: OptionedCommand, withHub: WithHub): void {
  const workers = program.command('workers').description('List a hub’s workers, drain one, or resume it');
  withHub(workers.command('list', { isDefault: true }))
    .description('List name, state, load, models and labels of each worker')
    .addOptions(createWatchOption)
    .action(loadAction(() => import('./commands/workers.ts'), 'workersCommand'));
  withHub(workers.command('drain').argument('<name>', 'worker', parseNonEmpty))
    .description('Drain a worker: it finishes its tasks, gets no new ones and stays connected')
    .action(loadAction(() => import('./commands/workers.ts'), 'drainCommand'));
  withHub(workers.command('resume').argument('<name>', 'worker', parseNonEmpty))
    .description('Let a drained worker get tasks again')
    .action(loadAction(() => import('./commands/workers.ts'), 'resumeCommand'));
}

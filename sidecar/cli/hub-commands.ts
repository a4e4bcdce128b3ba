/** The commands that use a hub's API, and their options. Their modules are loaded when they run. */
import { InvalidArgumentError, Option } from 'commander';
import {
  addListCommand,
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
type HubOptionAdder = (command: OptionedCommand) => OptionedCommand;

/** Adds the commands that create, list and revoke a hub's tokens. */
function addTokenCommands(program: OptionedCommand, withHub: HubOptionAdder): void {
  withHub(program.command('token').argument('<name>', 'name of the worker or user'))
    .description('Create a token for a worker or a user of a hub')
    .addOption(
      new Option('--role <role>', 'role of the token')
        .choices(['worker', 'submitter', 'viewer', 'admin'])
        .default('worker'),
    )
    .option('--expires <days>', 'days until the token expires (default: never)', parsePositiveInteger)
    .action(loadAction(() => import('./commands/tokens.ts'), 'tokenCommand'));
  const tokens = program.command('tokens').description('List a hub’s tokens, or revoke one');
  withHub(addListCommand(tokens))
    .description('List name, role, last use and expiry of each token')
    .action(loadAction(() => import('./commands/tokens.ts'), 'tokensCommand'));
  withHub(tokens.command('revoke').argument('<which>', 'name or id of the token'))
    .description('Revoke a token and close the connections and streams that use it')
    .action(loadAction(() => import('./commands/tokens.ts'), 'revokeCommand'));
}

/** Adds the command that submits a task. */
function addSubmitCommand(program: OptionedCommand, withHub: HubOptionAdder): void {
  withHub(addTaskOptions(program.command('submit').argument('[task]', 'description of the task')))
    .description('Submit a task to a hub')
    .addOptions(createWaitOption, createRequireVerifiedOption, createOutputOption)
    .option('--priority <n>', 'start before tasks with a lower number (default: 0)', parseInteger)
    .option('--label <label>', 'label that the worker must have (repeatable)', collectValue)
    .option('--worker <name>', 'the only worker that may run the task')
    .option('--delay <seconds>', 'delay the start by this many seconds, e.g. 600', parsePositiveInteger)
    .option(
      '--max-attempts <n>',
      'maximum number of failed attempts (default: embeddedHub.maxAttempts, 3)',
      parsePositiveInteger,
    )
    .option('--idempotency-key <key>', 'key of this submission; repeating the key returns the same task')
    .action(loadAction(() => import('./commands/task.ts'), 'submitCommand'));
}

export function addHubCommands(program: OptionedCommand): void {
  const withHub = (command: OptionedCommand) =>
    command.addOptions(createHubOption, createHubTokenOption, createJsonOption, createTextOption);
  addSubmitCommand(program, withHub);
  withHub(program.command('tasks'))
    .description('List a hub’s tasks, newest first')
    .option(
      '--status <status>',
      `only tasks with these statuses, e.g. queued,running: ${TASK_STATUSES.join(', ')}`,
      parseStatuses,
    )
    .addOption(
      new Option(
        '--outcome <outcome>',
        'unverified: only successes that no check verified; not-done: only partial results without a passing check',
      ).choices(['unverified', 'not-done']),
    )
    .option('--limit <n>', 'maximum number of tasks', parsePositiveInteger, 20)
    .addOptions(createWatchOption)
    .action(loadAction(() => import('./commands/tasks.ts'), 'tasksCommand'));
  withHub(program.command('budgets'))
    .description('Show the daily budgets of a hub, its submitters and repositories, and their usage')
    .action(loadAction(() => import('./commands/budgets.ts'), 'budgetsCommand'));
  withHub(
    program
      .command('watch')
      .argument('<id>', 'id of the task; `last`: the last task submitted from this machine'),
  )
    .description('Follow a task until it ends and exit with its exit code')
    .addOptions(createRequireVerifiedOption, createOutputOption)
    .action(loadAction(() => import('./commands/task.ts'), 'watchCommand'));
  addTokenCommands(program, withHub);
  program
    .command('mcp')
    .description('Serve MCP on stdin and stdout, for coding agents and editors that use a hub')
    .addOptions(createHubOption, createHubTokenOption)
    .action(loadAction(() => import('./commands/mcp.ts'), 'mcpCommand'));
  withHub(
    program
      .command('cancel')
      .argument('<id>', 'id of the task; `last`: the last task submitted from this machine'),
  )
    .description('Cancel a task')
    .action(loadAction(() => import('./commands/task.ts'), 'cancelCommand'));
  withHub(program.command('retry').argument('<id>', 'id of a failed or cancelled task, or `last`'))
    .description('Queue a failed or cancelled task again and reset its failure count')
    .addOptions(createWaitOption, createRequireVerifiedOption, createOutputOption)
    .action(loadAction(() => import('./commands/task.ts'), 'retryCommand'));
  withHub(
    program
      .command('steer')
      .argument('<id>', 'id of the task; `last`: the last task submitted from this machine')
      .argument('<text>', 'text for the model of the task', parseNonEmpty),
  )
    .description('Steer a queued or running task: send a text to its model')
    .action(loadAction(() => import('./commands/task.ts'), 'steerCommand'));
  withHub(
    program
      .command('answer')
      .argument('<id>', 'id of a task that waits for an answer, or `last`')
      .argument('<answer>', 'accept, reject, or a text (an answer or a correction)', parseNonEmpty),
  )
    .description('Answer a question of a task, or allow a command')
    .action(loadAction(() => import('./commands/task.ts'), 'answerCommand'));
  withHub(program.command('follow-up').argument('<id>', 'id of a task with a partial result, or `last`'))
    .description('Submit a task for the rest of a partial result')
    .addOptions(createWaitOption, createRequireVerifiedOption, createOutputOption)
    .action(loadAction(() => import('./commands/task.ts'), 'followUpCommand'));
  addWorkersCommand(program, withHub);
}

function addWorkersCommand(program: OptionedCommand, withHub: HubOptionAdder): void {
  const workers = program.command('workers').description('List a hub’s workers; drain or resume a worker');
  withHub(addListCommand(workers))
    .description('List name, state, load, models and labels of each worker')
    .addOptions(createWatchOption)
    .action(loadAction(() => import('./commands/workers.ts'), 'workersCommand'));
  withHub(workers.command('drain').argument('<name>', 'name of the worker', parseNonEmpty))
    .description('Drain a worker: it finishes its tasks, gets no new ones and stays connected')
    .action(loadAction(() => import('./commands/workers.ts'), 'drainCommand'));
  withHub(workers.command('resume').argument('<name>', 'name of the worker', parseNonEmpty))
    .description('Resume a drained worker: it gets tasks again')
    .action(loadAction(() => import('./commands/workers.ts'), 'resumeCommand'));
}

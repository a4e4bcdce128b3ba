/** The commands that talk to a hub's API, and their options. Their own modules are loaded when they run. */
import { InvalidArgumentError, Option } from 'commander';
import { hubOption, hubTokenOption, jsonOption, textOption, type OptionedCommand } from './shared-options.ts';
import { addTaskOptions, collect, notEmpty, positiveInteger, wholeNumber } from './task-options.ts';

const TASK_STATUSES = 'queued assigned running success partial failed cancelled'.split(' ');

function statusList(text: string): string {
  const statuses = text.split(',').map((status) => (status === 'dead_letter' ? 'failed' : status));
  if (statuses.every((status) => TASK_STATUSES.includes(status)))
    return statuses.map((status) => (status === 'failed' ? 'dead_letter' : status)).join(',');
  throw new InvalidArgumentError(
    `Write one or more of ${TASK_STATUSES.join(', ')}, with a comma between them.`,
  );
}

export function addHubCommands(program: OptionedCommand): void {
  const withHub = (command: OptionedCommand) =>
    command.with(hubOption, hubTokenOption, jsonOption, textOption);
  withHub(addTaskOptions(program.command('submit').argument('[task]', 'what is to be done, in words')))
    .description('Give a task to a hub')
    .option('--wait', 'wait for its end; the exit code is the task’s')
    .option('--priority <n>', 'higher goes first', wholeNumber)
    .option('--label <label>', 'label that its worker must have (repeatable)', collect)
    .option('--worker <name>', 'only this worker may do it')
    .option('--delay <seconds>', 'begin no sooner than this long from now', positiveInteger)
    .option('--max-attempts <n>', 'failures until the task is a dead letter', positiveInteger)
    .option('--idempotency-key <key>', 'submitted again with the same key it is the same task')
    .action(async (task: string | undefined, options) =>
      (await import('./commands/task.ts')).submitCommand(task, options),
    );
  withHub(program.command('tasks'))
    .description('List a hub’s tasks, newest first')
    .option('--status <status>', `only those: ${TASK_STATUSES.join(', ')}`, statusList)
    .option('--limit <n>', 'how many', positiveInteger, 20)
    .action(async (options) => (await import('./commands/tasks.ts')).tasksCommand(options));
  withHub(program.command('budgets'))
    .description('Show the daily budgets of a hub, its submitters and repositories, and what was used')
    .action(async (options) => (await import('./commands/budgets.ts')).budgetsCommand(options));
  withHub(program.command('top'))
    .description('Show what a hub, its workers and models do now; live on a terminal, JSON once in a pipe')
    .action(async (options) => (await import('./commands/top.ts')).topCommand(options));
  withHub(program.command('watch').argument('<id>', 'task'))
    .description('Follow a task until its end; the exit code is the task’s')
    .action(async (id: string, options) => (await import('./commands/task.ts')).watchCommand(id, options));
  withHub(program.command('token').argument('<name>', 'worker or person that the token is for'))
    .description('Make a token of a hub, such as one for a worker')
    .addOption(
      new Option('--role <role>', 'what it may do')
        .choices(['worker', 'submitter', 'viewer', 'admin'])
        .default('worker'),
    )
    .option('--expires <days>', 'when it ends (default: never)', positiveInteger)
    .action(async (name: string, options) =>
      (await import('./commands/tokens.ts')).tokenCommand(name, options),
    );
  const tokens = program.command('tokens').description('List a hub’s tokens, or revoke one');
  withHub(tokens.command('list', { isDefault: true }))
    .description('Name, role, last use and end of each')
    .action(async (options) => (await import('./commands/tokens.ts')).tokensCommand(options));
  withHub(tokens.command('revoke').argument('<which>', 'name or id of a token'))
    .description('Revoke a token; connections and streams that use it end')
    .action(async (which: string, options) =>
      (await import('./commands/tokens.ts')).revokeCommand(which, options),
    );
  program
    .command('mcp')
    .description('Serve MCP on stdin and stdout: a coding agent or an editor gives work to a hub')
    .with(hubOption, hubTokenOption)
    .action(async (options) => (await import('./commands/mcp.ts')).mcpCommand(options));
  withHub(program.command('cancel').argument('<id>', 'task'))
    .description('Cancel a task')
    .action(async (id: string, options) => (await import('./commands/task.ts')).cancelCommand(id, options));
  withHub(program.command('retry').argument('<id>', 'task that failed or was cancelled'))
    .description('Put a task back into the queue; its failures no longer count')
    .option('--wait', 'wait for its end; the exit code is the task’s')
    .action(async (id: string, options) => (await import('./commands/task.ts')).retryCommand(id, options));
  withHub(
    program.command('steer').argument('<id>', 'task').argument('<text>', 'text for its model', notEmpty),
  )
    .description('Send a text to the model of a task that waits or runs')
    .action(async (id: string, text: string, options) =>
      (await import('./commands/task.ts')).steerCommand(id, text, options),
    );
  withHub(program.command('follow-up').argument('<id>', 'task with a partial result'))
    .description('Submit the follow-up of a partial result')
    .option('--wait', 'wait for its end; the exit code is the task’s')
    .action(async (id: string, options) => (await import('./commands/task.ts')).followUpCommand(id, options));
  addWorkersCommand(program, withHub);
}

function addWorkersCommand(
  program: OptionedCommand,
  withHub: (command: OptionedCommand) => OptionedCommand,
): void {
  const workers = program.command('workers').description('List a hub’s workers, drain one, or resume it');
  withHub(workers.command('list', { isDefault: true }))
    .description('Name, state, load, models and labels of each')
    .action(async (options) => (await import('./commands/workers.ts')).workersCommand(options));
  withHub(workers.command('drain').argument('<name>', 'worker', notEmpty))
    .description('Give a worker no new tasks; it finishes what runs and stays connected')
    .action(async (name: string, options) =>
      (await import('./commands/workers.ts')).drainCommand(name, options),
    );
  withHub(workers.command('resume').argument('<name>', 'worker', notEmpty))
    .description('Give a worker tasks again')
    .action(async (name: string, options) =>
      (await import('./commands/workers.ts')).resumeCommand(name, options),
    );
}

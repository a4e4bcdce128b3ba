/**
 * The commands and their options. Only what `--help` needs is loaded here: each command's modules are loaded when it
 * runs, for a quick start.
 */
import { Argument, Option, type Command } from 'commander';
import { addHubCommands } from './hub-commands.ts';
import {
  addListCommand,
  createConcurrencyOption,
  createConfigOption,
  loadAction,
  createHubOption,
  createHubTokenOption,
  createJsonOption,
  createOllamaOption,
  createOutputOption,
  OptionedCommand,
  createRequireVerifiedOption,
  createSandboxOption,
  createTextOption,
} from './shared-options.ts';
import { addTaskOptions, collectValue, parseNonEmpty, parsePositiveInteger } from './task-options.ts';
import { VERSION } from '../base/system/version.ts';

const EXIT_CODES = `
Exit codes:
  0    ok
  1    failed
  2    usage or configuration
  3    partial result, or not verified with --require-verified
  4    token refused
  5    hub unreachable
  6    state folder or lock
  7    preflight: Ollama, model, sandbox, repository, free disk space
  8    the hub requested a restart
  129  ended by SIGHUP: the terminal was closed
  130  ended by Ctrl-C (SIGINT)
  141  stdout was closed while a task was followed
  143  ended by SIGTERM`;

/** Builds the whole command line. `quiet`: usage errors are thrown but not printed. */
export function buildProgram({ quiet = false } = {}): Command {
  const program = new OptionedCommand('ollama-sidecar')
    .description(
      'Runs tasks with a local Ollama model: sandboxed tools, checked results, reports of the remaining work.',
    )
    .version(VERSION)
    .exitOverride()
    .configureOutput(quiet ? { writeErr: () => undefined } : {})
    // Must run before any schema is created.
    .hook('preAction', async () => (await import('./interpret-schemas.ts')).interpretSchemas())
    .showHelpAfterError('(add --help for the options and examples)')
    .addHelpText(
      'after',
      `${EXIT_CODES}\n\nFirst steps:\n  ollama-sidecar demo\n  ollama-sidecar run "fix the failing test" --repo . --verify "npm test"`,
    );
  addWorkCommands(program);
  addServerCommands(program);
  addHubCommands(program);
  addInspectionCommands(program);
  addModelCommands(program);
  addDeveloperCommands(program);
  refuseEmptyValues(program);
  return program;
}

/**
 * Refuses empty option values, which often come from an unset variable of a script: `--repo "$DIR"` must not mean the
 * current folder.
 */
function refuseEmptyValues(command: Command): void {
  for (const option of command.options)
    if (option.required && !option.parseArg) option.argParser(parseNonEmpty);
  for (const subcommand of command.commands) refuseEmptyValues(subcommand);
}

function addWorkCommands(program: OptionedCommand): void {
  addTaskOptions(program.command('run').argument('[task]', 'description of the task'))
    .description('Run one task now, from this terminal')
    .addOptions(
      createRequireVerifiedOption,
      createOutputOption,
      createSandboxOption,
      createOllamaOption,
      createConcurrencyOption,
    )
    .addOptions(createConfigOption, createJsonOption, createTextOption)
    .option('--no-repo', 'work in an empty folder, not in the current repository')
    .option('--no-diff', 'do not print the diff')
    .addHelpText(
      'after',
      '\nExamples:\n  ollama-sidecar run "make the tests pass" --repo . --verify "npm test"\n  ollama-sidecar run "make the tests pass" --repo . --verify "npm test" --attempts 4 --ladder qwen2.5-coder:1.5b,qwen2.5-coder:7b\n  ollama-sidecar run "what does src/queue.ts do?" --repo . --read-only\n  ollama-sidecar run "write a haiku" --simple',
    )
    .action(loadAction(() => import('./commands/run.ts'), 'runCommand'));
  program
    .command('demo')
    .description(
      'Repair a small repository with a failing test, using Ollama if it answers, else a scripted model',
    )
    .option('--keep', 'do not delete the repository afterwards')
    .option('--model <name>', 'model to use (default: the installed one that fits best)')
    .addOptions(createSandboxOption, createOllamaOption, createConfigOption, createJsonOption)
    .action(loadAction(() => import('./commands/demo.ts'), 'demoCommand'));
}

function addServerCommands(program: OptionedCommand): void {
  program
    .command('up')
    .description('Start a hub and a worker together on this machine; prints the dashboard’s address')
    .option('--port <n>', 'port of the hub (default 4600)', parsePositiveInteger)
    .addOptions(
      createConcurrencyOption,
      createSandboxOption,
      createOllamaOption,
      createConfigOption,
      createJsonOption,
    )
    .action(loadAction(() => import('./commands/up.ts'), 'upCommand'));
  program
    .command('start')
    .description('Start a worker alone: it runs tasks of a hub until it is stopped')
    .option('--hub-url <url>', 'WebSocket address of the hub, e.g. wss://hub.example/ws')
    .option('--agent-id <name>', 'name of this worker on the hub (default: the host name)')
    .option('--token-file <file>', 'file with the worker’s token (or SIDECAR_TOKEN)')
    .addOptions(
      createSandboxOption,
      createConcurrencyOption,
      createOllamaOption,
      createConfigOption,
      createJsonOption,
    )
    .action(loadAction(() => import('./commands/start.ts'), 'startCommand'));
  program
    .command('hub')
    .description('Start a hub alone: queue, HTTP API and dashboard')
    .option('--host <address>', 'address to listen on (default 127.0.0.1)')
    .option('--port <n>', 'port to listen on (default 4600)', parsePositiveInteger)
    .option(
      '--database <file-or-url>',
      'SQLite file or postgres:// URL (default: hub.sqlite in the state folder)',
    )
    .addOptions(createConfigOption, createJsonOption)
    .action(loadAction(() => import('./commands/hub.ts'), 'hubCommand'));
}

/** Adds commands for developers, who measure models or inspect past runs. */
function addDeveloperCommands(program: OptionedCommand): void {
  const dev = program
    .command('dev')
    .description(
      'For developers: measure models, replay a session, serve a scripted model, print the JSON Schema of the configuration',
    );
  addEvaluateCommand(dev);
  dev
    .command('replay')
    .argument('<id>', 'id of a session or task; `last`: the newest session')
    .description('Run a past task again with the recorded answers of its model: no model is needed')
    .addOptions(createSandboxOption, createConfigOption, createJsonOption, createTextOption)
    .option('--no-diff', 'do not print the diff')
    .action(loadAction(() => import('./commands/replay.ts'), 'replayCommand'));
  dev
    .command('scripted-model')
    .argument('<scenario>', 'JSON file of answers (docs/SCRIPTED-MODEL.md)')
    .description('Serve the answers of a scenario through Ollama’s API until stopped')
    .option('--port <n>', 'port to listen on (default: a free one)', parsePositiveInteger)
    .addOptions(createJsonOption)
    .action(loadAction(() => import('./commands/scripted-model.ts'), 'scriptedModelCommand'));
  dev
    .command('schema')
    .description('Print the JSON Schema of a configuration file, for editors')
    .action(loadAction(() => import('./commands/config.ts'), 'schemaCommand'));
}

function addEvaluateCommand(dev: OptionedCommand): void {
  dev
    .command('evaluate')
    .argument('[suite]', 'folder of the suite (default: the suite of the package)')
    .description('Measure how well a model solves a suite of tasks with hidden checks')
    .option('--model <name>', 'model to evaluate (repeatable)', collectValue)
    .option('--runs <n>', 'number of runs of each task', parsePositiveInteger, 3)
    .option(
      '--only <glob>',
      'only tasks whose id matches, e.g. "fix-*"; with a leading !, all others (repeatable)',
      collectValue,
    )
    .addOption(
      new Option('--tier <tier>', 'small: only small tasks; full: all tasks')
        .choices(['small', 'full'])
        .default('full'),
    )
    .addOption(
      new Option('--strategy <name>', 'how tasks are solved (default: the model’s profile decides)').choices([
        'loop',
        'drafts',
        'auto',
      ]),
    )
    .option('--timeout <seconds>', 'time limit of one task, in seconds', parsePositiveInteger, 600)
    .option(
      '--set <key=value>',
      'override a setting, e.g. ollama.maxContextTokens=8192 (repeatable)',
      collectValue,
    )
    .option('--compare <file>', 'compare with an earlier result.json')
    .option(
      '--output <dir>',
      'folder of records, sessions and report (default: a new one in the data folder)',
    )
    .option('--continue', 'resume the evaluation in --output, else the newest evaluation')
    .option('--write-profile', 'write the best measured settings to your models.json')
    .option('--validate', 'run no model: check that correct solutions of the suite pass and wrong ones fail')
    .addOptions(
      createConcurrencyOption,
      createSandboxOption,
      createOllamaOption,
      createConfigOption,
      createJsonOption,
    )
    .addHelpText(
      'after',
      '\nExamples:\n  ollama-sidecar dev evaluate --model qwen2.5-coder:7b --tier small\n  ollama-sidecar dev evaluate my-tasks --model A --model B --runs 5\n  ollama-sidecar dev evaluate --model A --compare earlier/result.json',
    )
    .action(loadAction(() => import('./commands/evaluate.ts'), 'evaluateCommand'));
}

function addModelCommands(program: OptionedCommand): void {
  const models = program
    .command('models')
    .description('List models, recommend those that fit this machine, or download one')
    .addHelpText(
      'after',
      '\nWithout a subcommand this lists the installed models: size, whether they fit\ninto GPU memory, their profile (family, tool calls, drafts, thinking), context\nwindow, how many tasks they solved in `dev evaluate`, and for which types of\ntasks a worker chooses them.\ndocs/MODELS.md describes the model families.\n\nExamples:\n  ollama-sidecar models\n  ollama-sidecar models recommend\n  ollama-sidecar models pull qwen2.5-coder:7b',
    );
  const withOptions = (command: OptionedCommand) =>
    command.addOptions(createOllamaOption, createConfigOption, createJsonOption, createTextOption);
  withOptions(addListCommand(models))
    .description('List the installed models with their profile, fit and task types')
    .action(loadAction(() => import('./commands/models.ts'), 'modelsCommand'));
  withOptions(models.command('recommend'))
    .description('Recommend models that fit this machine: its GPU memory, else its main memory')
    .action(loadAction(() => import('./commands/models.ts'), 'recommendCommand'));
  withOptions(
    models.command('pull').argument('<name>', 'name of a model, e.g. qwen2.5-coder:7b', parseNonEmpty),
  )
    .description('Download a model to the model server')
    .action(loadAction(() => import('./commands/models.ts'), 'pullCommand'));
}

function addInspectionCommands(program: OptionedCommand): void {
  program
    .command('show')
    .argument(
      '[id]',
      'id of a task or session; `last`: the newest task that ran on this machine or was submitted from it',
    )
    .description(
      'List the tasks that ran on this machine; with an id, show the result of that task, from the hub if it did not run here',
    )
    .option('--messages', 'show all messages of the model instead of the result')
    .addOption(
      new Option('--costs <by>', 'show the costs by task, model, day or call').choices([
        'task',
        'model',
        'day',
        'call',
      ]),
    )
    .option('--days <n>', 'period of --costs, in days', parsePositiveInteger, 30)
    .option('--limit <n>', 'maximum number of tasks', parsePositiveInteger, 20)
    .option('--no-diff', 'do not print the diff')
    .addOptions(createHubOption, createHubTokenOption, createConfigOption, createJsonOption, createTextOption)
    .action(loadAction(() => import('./commands/show.ts'), 'showCommand'));
  program
    .command('apply')
    .argument('<id>', 'id of the task, or `last`')
    .description('Merge the commit of a task into the repository of the current folder')
    .option('--patch', 'change only the files, without a commit')
    .option('--allow-dirty', 'proceed even if tracked files have uncommitted edits')
    .addOptions(createHubOption, createHubTokenOption, createConfigOption, createJsonOption, createTextOption)
    .action(loadAction(() => import('./commands/apply.ts'), 'applyCommand'));
  program
    .command('completion')
    .addArgument(
      new Argument('<shell>', 'bash, zsh or fish; `next`: used by the completion scripts').choices([
        'bash',
        'zsh',
        'fish',
        'next',
      ]),
    )
    .argument('[words...]', 'for `next`: the words typed so far')
    .description('Print the completion script of a shell')
    .addHelpText(
      'after',
      '\nExamples:\n  source <(ollama-sidecar completion bash)\n  ollama-sidecar completion fish > ~/.config/fish/completions/ollama-sidecar.fish',
    )
    .action(loadAction(() => import('./commands/completion.ts'), 'completionCommand'));
  program
    .command('doctor')
    .description('Check whether this machine can run a worker; print what is missing and what to do')
    .addOption(createOllamaOption())
    .option('--hub-url <url>', 'WebSocket address of a hub to test (default: hub.url)')
    .addOptions(createConfigOption, createJsonOption, createTextOption)
    .action(loadAction(() => import('./commands/doctor.ts'), 'doctorCommand'));
  program
    .command('config')
    .description('Show the effective configuration and where each value came from')
    .option('--all', 'include settings with default values')
    .addOptions(createConfigOption, createJsonOption, createTextOption)
    .action(loadAction(() => import('./commands/config.ts'), 'configCommand'));
}

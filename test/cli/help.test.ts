import { expect, test } from '@jest/globals';
import type { Command } from 'commander';
import { EXIT } from '../../sidecar/cli/exit-codes.ts';
import { buildProgram } from '../../sidecar/cli/program.ts';

/** What `--help` prints on a terminal of 80 columns. */
function helpOf(command: Command): string {
  let text = '';
  command.configureOutput({ writeOut: (part) => (text += part), getOutHelpWidth: () => 80 });
  command.outputHelp();
  return text;
}

test('the help names every exit code, one a line', () => {
  const lines = helpOf(buildProgram()).split('\n');
  for (const code of Object.values(EXIT)) {
    expect(lines.filter((line) => new RegExp(`^ {2}${code} +\\w`, 'u').test(line))).toHaveLength(1);
  }
});

test('no help is wider than 80 columns, commands to copy excepted', () => {
  const program = buildProgram();
  const wide = [program, ...program.commands].flatMap((command) =>
    helpOf(command)
      .split('\n')
      .filter((line) => line.length > 80 && !line.startsWith('  ollama-sidecar '))
      .map((line) => `${command.name()}: ${line}`),
  );
  expect(wide).toEqual([]);
});

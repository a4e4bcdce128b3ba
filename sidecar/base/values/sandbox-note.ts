/** Line that is added to the output of a command that failed for lack of network. */
export const NO_NETWORK = '[There is no network in checks and commands]';

/** Returns the line that names a program or file that a command did not find in the sandbox. */
export const formatNotFoundNote = (missingName: string): string => `[Not in the sandbox: ${missingName}]`;

/** Returns the reason in a line that the sandbox added to an output; undefined for other lines. */
export const sandboxReasonOf = (line: string): string | undefined =>
  line === NO_NETWORK ? 'there is no network in checks' : /^\[Not in the sandbox: (.+)\]$/.exec(line)?.[1];

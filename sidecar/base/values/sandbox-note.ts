/** Lines that the sandbox adds to the output of a command that failed because something is missing. */
export const NO_NETWORK = '[There is no network in checks and commands]';

/** Returns the line that names what a command did not find. */
export const formatNotFoundNote = (missingName: string): string => `[Not in the sandbox: ${missingName}]`;

/** Returns the reason that a line of an output gives; undefined for other lines. */
export const sandboxReasonOf = (line: string): string | undefined =>
  line === NO_NETWORK ? 'there is no network in checks' : /^\[Not in the sandbox: (.+)\]$/.exec(line)?.[1];

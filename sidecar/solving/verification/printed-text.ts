/** Parses the output of a command's check: a line with the ending of the command, followed by its printed text. */

export interface PrintedText {
  /** Ending of the command, without its duration. */
  endLine: string;
  text: string;
}

/** Ending of a command whose output reports failed tests although the exit code is 0. */
export const HIDDEN_FAILURE_TEXT = 'exited with code 0 although its output reports failed tests';
const ENDING_PATTERN = new RegExp(
  `^(\`[^]{0,4200}?\` (?:passed|${HIDDEN_FAILURE_TEXT}|could not be run|(?:timed out|was stopped|exited with code -?\\d+(?: \\(SIG[A-Z0-9]+\\))?|was killed by \\w[\\w ]*)))(?: (?:in|after) [\\d.]+ s)?(?:\\n|$)`,
);

/** Parses an output. Returns undefined for a check that ran no command. */
export function splitPrintedText(output: string): PrintedText | undefined {
  const match = ENDING_PATTERN.exec(output);
  return match ? { endLine: match[1] ?? '', text: output.slice(match[0].length) } : undefined;
}

/** Returns whether a check failed by its output alone: a pipe, `|| true` or a later command replaced the exit code. */
export const hidesExitCode = ({ status, output }: { status: string; output: string }): boolean =>
  status === 'fail' && splitPrintedText(output)?.endLine.endsWith(` ${HIDDEN_FAILURE_TEXT}`) === true;

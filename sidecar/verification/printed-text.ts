/** Takes a command's check apart: the line that says how it ended, and what the command printed below it. */

export interface PrintedText {
  /** How the command ended, without the time that it took: the same in every run. */
  ending: string;
  text: string;
}

/** How a command ended whose output names failed tests, while its exit code says that all is well. */
export const HIDDEN_FAILURE = 'ended with code 0 although its output names failed tests';
const ENDING = new RegExp(
  `^(\`[^]{0,4200}?\` (?:passed|${HIDDEN_FAILURE}|could not be run|(?:was ended|was stopped|exited with code -?\\d+(?: \\(SIG[A-Z0-9]+\\))?|was ended by \\w[\\w ]*)))(?: (?:in|after) [\\d.]+ s)?(?:\\n|$)`,
);

/** Undefined for what a check says that ran no command. */
export function printedText(output: string): PrintedText | undefined {
  const match = ENDING.exec(output);
  return match ? { ending: match[1] ?? '', text: output.slice(match[0].length) } : undefined;
}

/** Whether a command's check failed by what it printed alone: a pipe, `|| true` or a later command took its exit code. */
export const hidesExitCode = ({ status, output }: { status: string; output: string }): boolean =>
  status === 'fail' && printedText(output)?.ending.endsWith(` ${HIDDEN_FAILURE}`) === true;

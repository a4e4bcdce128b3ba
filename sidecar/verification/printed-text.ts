/** Takes a command's check apart: the line that says how it ended, and what the command printed below it. */

export interface PrintedText {
  /** How the command ended, without the time that it took: the same in every run. */
  ending: string;
  text: string;
}

const ENDING =
  /^(`[\s\S]{0,4200}?` (?:passed|ended with code 0 although its output names failed tests|could not be run|(?:was ended|was stopped|exited with code -?\d+|was ended by \w[\w ]*)))(?: (?:in|after) [\d.]+ s)?(?:\n|$)/;

/** Undefined for what a check says that ran no command. */
export function printedText(output: string): PrintedText | undefined {
  const match = ENDING.exec(output);
  return match ? { ending: match[1] ?? '', text: output.slice(match[0].length) } : undefined;
}

/** Whether a command's check failed by what it printed alone: a pipe, `|| true` or a later command took its exit code. */
export const hidesExitCode = ({ status, output }: { status: string; output: string }): boolean =>
  status === 'fail' &&
  (printedText(output)?.ending.endsWith(' ended with code 0 although its output names failed tests') ??
    false);

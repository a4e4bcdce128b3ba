/** Formats a task's end as annotations of a GitHub workflow: what failed, with file and line, and what remains. Pure. */
import { isNotDone, formatTaskError, taskResultSchema, type CheckResult } from '../base/protocol/result.ts';
import type { TaskDetail } from '../hub/client/hub-client.ts';
import { toPrintable } from '../base/values/printable.ts';

const MAX_ANNOTATIONS = 10;
const MAX_TEXT_CHARS = 4_000;

type AnnotationLevel = 'error' | 'warning' | 'notice';
interface SourceLocation {
  file?: string | undefined;
  line?: string | undefined;
}

/** Returns a workflow command for the verdict, one for each failure, and one for each thing that remains to be done. */
export function formatAnnotations(task: TaskDetail): string[] {
  const parsed = taskResultSchema.safeParse(task.result);
  if (!parsed.success)
    return [formatAnnotation('error', `${task.title}: ${task.status}`, formatTaskError(task.error ?? ''))];
  const result = parsed.data;
  const isDone = result.status === 'success';
  const level = isDone ? (result.verification_status === 'verified' ? 'notice' : 'warning') : 'error';
  const verdict = isNotDone(result) ? 'not done' : `${result.status} (${result.verification_status})`;
  const failing = (result.verification_report?.checks ?? []).filter(({ status }) => status !== 'pass');
  return [
    formatAnnotation(level, verdict, result.error ?? result.output),
    ...failing.flatMap(formatFailures),
    ...result.remaining.map((text) => formatAnnotation('warning', 'remains', text)),
  ].slice(0, MAX_ANNOTATIONS);
}

/**
 * Returns the failing tests and errors of a check with their locations, or the check itself if its output names none of
 * them.
 */
function formatFailures({ target, description, essence, output }: CheckResult): string[] {
  const name = description || target;
  // Entries are separated as test-output/render.ts writes them: continuation lines of an entry are indented.
  const entries = (essence?.text ?? '')
    .split(/\n(?=(?:FAIL|ERROR) )/u)
    .filter((text) => /^(FAIL|ERROR) /u.test(text));
  if (entries.length === 0) return [formatAnnotation('error', name, essence?.text || output)];
  return entries.map((entry) => {
    const [first = '', ...rest] = entry.split('\n');
    const [, file, line] =
      /^FAIL .*\(([^()]+):(\d+)\)$/u.exec(first) ?? /^ERROR ([^\s:]+):(\d+): /u.exec(first) ?? [];
    return formatAnnotation('error', `${name}: ${first}`, rest.join('\n') || first, { file, line });
  });
}

function formatAnnotation(
  level: AnnotationLevel,
  title: string,
  text: string,
  { file, line }: SourceLocation = {},
): string {
  const properties = Object.entries({ file, line, title })
    .filter(([, value]) => value !== undefined && value !== '')
    .map(
      ([key, value]) =>
        `${key}=${escapeText(value ?? '')
          .replaceAll(':', '%3A')
          .replaceAll(',', '%2C')}`,
    );
  return `::${level} ${properties.join(',')}::${escapeText(text.slice(0, MAX_TEXT_CHARS)) || escapeText(title)}`;
}

/**
 * Escapes a text for a workflow command. A line break would end the command, and the next line could be a command of
 * its own.
 */
const escapeText = (text: string): string =>
  toPrintable(text).trim().replaceAll('%', '%25').replaceAll('\r', '%0D').replaceAll('\n', '%0A');

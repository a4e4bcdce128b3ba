/**
 * Shows a task's events: one line for each tool call with its result, stops, checks and plans, and a spinner with the
 * current activity. In a pipe each event is one JSON line.
 */
import type { Ora } from 'ora';
import { executionEventFrameSchema, type ExecutionEvent } from '../base/protocol/events.ts';
import { formatDuration, type Terminal } from './terminal.ts';
import { quoteShellWord } from '../base/values/shell-word.ts';
import { toPrintable, toPrintableLine } from '../base/values/printable.ts';
import type { HubEvent } from '../hub/client/hub-client.ts';

export interface Timeline {
  show(event: HubEvent): void;
  /** Shows why a queued task has not started. */
  showWaiting(reason: string): void;
  /** Stops the spinner; call before any other output. */
  end(): void;
}

/** Creates a timeline that prints readable lines, or JSON lines if the terminal's output is JSON. */
export async function createTimeline(terminal: Terminal): Promise<Timeline> {
  if (terminal.json) {
    return {
      show: (event) => terminal.data(event),
      showWaiting: (reason) =>
        terminal.data({ kind: 'waiting', at: Date.now(), body: { waiting_for: reason } }),
      end: () => undefined,
    };
  }
  // At 0 columns (a terminal without a size) the spinner would clear lines endlessly.
  const hasSize = terminal.interactive && process.stderr.columns !== 0;
  const spinner = hasSize ? await createSpinner() : undefined;
  return new ReadableTimeline(terminal, spinner);
}

/** Creates a spinner without ora's default raw mode of stdin, in which Ctrl-C would be an unread character. */
const createSpinner = async (): Promise<Ora> =>
  (await import('ora')).default({ stream: process.stderr, discardStdin: false });

/** Indentation of continuation lines: the width of a label and a space. */
const LABEL_INDENT = '      ';

class ReadableTimeline implements Timeline {
  readonly #terminal: Terminal;
  readonly #spinner: Ora | undefined;
  /** Time of the first event, or of the timeline's creation if that is earlier. */
  #startMs = Date.now();
  #answer = '';
  /** Tokens and cost so far. */
  #figures = '';
  #iteration = 0;

  constructor(terminal: Terminal, spinner: Ora | undefined) {
    this.#terminal = terminal;
    this.#spinner = spinner;
    this.#spinner?.start('waiting for a worker');
  }

  show(event: HubEvent): void {
    this.#startMs = Math.min(this.#startMs, event.at);
    if (event.kind === 'task') return this.#showState(event);
    if (event.kind === 'approval') return this.#showApproval(event);
    if (event.kind !== 'execution')
      return this.#print(this.#terminal.color.dim(event.kind), toPrintable(describeBody(event.body)));
    const parsed = executionEventFrameSchema.safeParse(event.body);
    if (!parsed.success) return;
    for (const executionEvent of parsed.data.events ?? [parsed.data]) this.#showExecution(executionEvent);
  }

  showWaiting(reason: string): void {
    this.#print(this.#terminal.color.yellow('queue'), `waiting for ${toPrintable(reason)}`);
    this.#setSpinner(`waiting for ${reason}`);
  }

  end(): void {
    this.#flushAnswer();
    this.#spinner?.stop();
  }

  #showState({ body }: HubEvent): void {
    // Holds and questions are shown by events of their own.
    if (body.reason === 'hold' || body.reason === 'asks') return;
    const status = typeof body.status === 'string' ? body.status : '';
    if (body.reason === 'assigned') this.#iteration = 0;
    const worker = typeof body.worker_id === 'string' ? ` by ${body.worker_id}` : '';
    if (status === 'running') this.#setSpinner(`accepted${worker}`);
    else if (status !== '') this.#setSpinner(status);
  }

  /** Shows an approval request, or its answer. */
  #showApproval({ body }: HubEvent): void {
    const text = (key: string) => (typeof body[key] === 'string' ? body[key] : '');
    const label = this.#terminal.color.magenta('asks ');
    if (text('status') === 'pending') {
      const instructions = `answer it on the dashboard, or:  ollama-sidecar answer ${quoteShellWord(text('task_id'))} accept|reject|"text"`;
      this.#print(label, toPrintable(`${text('kind')}; ${instructions}\n${text('summary')}`));
      this.#setSpinner('waiting for an answer');
    } else {
      const note = text('text') === '' ? '' : `: ${text('text')}`;
      this.#print(label, toPrintable(`${text('kind')}: ${text('status')}${note}`));
    }
  }

  #showExecution(event: ExecutionEvent): void {
    const { color } = this.#terminal;
    if (event.event_type !== 'token') this.#flushAnswer();
    this.#figures = figuresOf(event) ?? this.#figures;
    switch (event.event_type) {
      case 'token':
        if (event.model_call) return this.#setSpinner(`writes: ${lastLineOf(event.text)}`);
        this.#answer += event.text;
        this.#setSpinner('answering');
        return;
      case 'tool_call':
        this.#showToolCall(event);
        return;
      case 'stdout':
      case 'stderr':
        this.#setSpinner(toPrintableLine(event.text, 80));
        return;
      case 'verification':
        if (event.phase === 'started') this.#setSpinner(event.text);
        // The label already contains the word "check".
        else this.#print(color.magenta('check'), toPrintable(event.text.replace(/^Check /u, '')));
        return;
      case 'plan':
        this.#print(color.blue('plan '), toPrintable(event.text));
        return;
      case 'error':
        this.#print(color.red('error'), toPrintable(event.text));
        return;
      case 'status':
        if (event.model_call) this.#setSpinner(event.text);
        else this.#showStatus(toPrintable(event.text));
    }
  }

  #showStatus(text: string): void {
    const { color } = this.#terminal;
    const isWarning = /^warning\b|uncommitted edits/iu.test(text);
    this.#print(
      isWarning ? color.yellow('  !  ') : '     ',
      isWarning ? color.yellow(text) : color.dim(text),
    );
  }

  #showToolCall(event: ExecutionEvent): void {
    if (event.phase === 'started') return this.#setSpinner(event.text);
    const { color } = this.#terminal;
    const { success } = event;
    // A draft that no check judged has neither passed nor failed.
    const mark = success === undefined ? color.dim('·') : success ? color.green('✓') : color.red('✗');
    const iteration = event.iteration ?? 0;
    const number = iteration === this.#iteration ? '     ' : `${String(iteration).padStart(4)}.`;
    this.#iteration = iteration;
    const repaired = event.repaired === true ? color.dim(' repaired') : '';
    this.#print(color.cyan(number), `${mark} ${toPrintable(event.text)}${repaired}`);
  }

  /** Prints the complete text of a streamed answer. */
  #flushAnswer(): void {
    if (this.#answer === '') return;
    this.#print(this.#terminal.color.dim('text '), toPrintable(this.#answer).trim());
    this.#answer = '';
  }

  /** Prints a label and a text, which must be printable and may be coloured. */
  #print(label: string, text: string): void {
    const isSpinning = this.#spinner?.isSpinning === true;
    if (isSpinning) this.#spinner?.stop();
    const [first = '', ...furtherLines] = text.split('\n');
    this.#terminal.prose(`  ${label} ${first}`, LABEL_INDENT);
    for (const line of furtherLines) this.#terminal.prose(`  ${LABEL_INDENT}${line}`, '');
    if (isSpinning) this.#spinner?.start();
  }

  #setSpinner(text: string): void {
    if (!this.#spinner) return;
    const figures = formatDuration(Math.max(0, Date.now() - this.#startMs)) + this.#figures;
    const room = Math.max(20, this.#terminal.width - figures.length - 12);
    this.#spinner.text = `${toPrintableLine(text, room)} ${this.#terminal.color.dim(figures)}`;
  }
}

const lastLineOf = (text: string): string => text.trimEnd().split('\n').at(-1)?.trim() ?? '';

/** Formats tokens and cost so far; undefined if the event has none. */
function figuresOf({ tokens_so_far: tokens, cost_usd_so_far: cost = 0 }: ExecutionEvent): string | undefined {
  if (tokens === undefined) return undefined;
  return `, ${tokens} tokens${cost > 0 ? `, $${cost.toFixed(4)}` : ''}`;
}

function describeBody(body: Record<string, unknown>): string {
  const text = body.text ?? body.summary ?? body.status;
  return typeof text === 'string' ? text : JSON.stringify(body);
}

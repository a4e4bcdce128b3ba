/**
 * A task's events as a person reads them: one line for each tool call with its result, stops, checks and plans; a
 * spinner that says what is going on now. In a pipe each event is one JSON line.
 */
import type { Ora } from 'ora';
import { executionEventFrameSchema, type ExecutionEvent } from '../protocol/events.ts';
import { duration, type Terminal } from './terminal.ts';
import { shellWord } from '../values/shell-word.ts';
import { printable, printableLine } from '../values/printable.ts';
import type { HubEvent } from '../hub-client/hub-client.ts';

export interface Timeline {
  show(event: HubEvent): void;
  /** Reports why a queued task has not begun. */
  waiting(reason: string): void;
  /** Ends the spinner; call before printing anything else. */
  end(): void;
}

/** A timeline on the terminal, or JSON lines. */
export async function createTimeline(terminal: Terminal): Promise<Timeline> {
  if (terminal.json) {
    return {
      show: (event) => terminal.data(event),
      waiting: (reason) => terminal.data({ kind: 'waiting', at: Date.now(), body: { waiting_for: reason } }),
      end: () => undefined,
    };
  }
  // At 0 columns (a terminal without a size) the spinner would clear lines without end.
  const hasRoom = terminal.interactive && process.stderr.columns !== 0;
  const spinner = hasRoom ? await newSpinner() : undefined;
  return new ReadableTimeline(terminal, spinner);
}

/** It leaves the terminal's input alone: in raw mode, which it sets by default, Ctrl-C would be a character that nobody reads. */
const newSpinner = async (): Promise<Ora> =>
  (await import('ora')).default({ stream: process.stderr, discardStdin: false });

/** As wide as a label and the space after it. */
const LABEL_INDENT = '      ';

class ReadableTimeline implements Timeline {
  readonly #terminal: Terminal;
  readonly #spinner: Ora | undefined;
  readonly #startMs = performance.now();
  #answer = '';
  /** Tokens and cost until now. */
  #figures = '';
  #iteration = 0;

  constructor(terminal: Terminal, spinner: Ora | undefined) {
    this.#terminal = terminal;
    this.#spinner = spinner;
    this.#spinner?.start('waiting for a worker');
  }

  show(event: HubEvent): void {
    if (event.kind === 'task') return this.#showState(event);
    if (event.kind === 'approval') return this.#showApproval(event);
    if (event.kind !== 'execution')
      return this.#print(this.#terminal.color.dim(event.kind), printable(describe(event.body)));
    const parsed = executionEventFrameSchema.safeParse(event.body);
    if (!parsed.success) return;
    for (const one of parsed.data.events ?? [parsed.data]) this.#showExecution(one);
  }

  waiting(reason: string): void {
    this.#print(this.#terminal.color.yellow('queue'), `waiting for ${printable(reason)}`);
    this.#say(`waiting for ${reason}`);
  }

  end(): void {
    this.#flushAnswer();
    this.#spinner?.stop();
  }

  #showState({ body }: HubEvent): void {
    // Other events show both.
    if (body.reason === 'hold' || body.reason === 'asks') return;
    const status = typeof body.status === 'string' ? body.status : '';
    const worker = typeof body.worker_id === 'string' ? ` by ${body.worker_id}` : '';
    if (status === 'running') this.#say(`accepted${worker}`);
    else if (status !== '') this.#say(status);
  }

  /** The question, and later its answer. */
  #showApproval({ body }: HubEvent): void {
    const text = (key: string) => (typeof body[key] === 'string' ? body[key] : '');
    const label = this.#terminal.color.magenta('asks ');
    if (text('status') === 'pending') {
      const how = `answer it on the dashboard, or:  ollama-sidecar answer ${shellWord(text('task_id'))} accept|reject|"text"`;
      this.#print(label, printable(`${text('kind')}; ${how}\n${text('summary')}`));
      this.#say('waiting for an answer');
    } else {
      const note = text('text') === '' ? '' : `: ${text('text')}`;
      this.#print(label, printable(`${text('kind')}: ${text('status')}${note}`));
    }
  }

  #showExecution(event: ExecutionEvent): void {
    const { color } = this.#terminal;
    if (event.event_type !== 'token') this.#flushAnswer();
    this.#figures = figuresOf(event) ?? this.#figures;
    switch (event.event_type) {
      case 'token':
        if (event.model_call) return this.#say(`writes: ${lastLineOf(event.text)}`);
        this.#answer += event.text;
        this.#say('answering');
        return;
      case 'tool_call':
        this.#showToolCall(event);
        return;
      case 'stdout':
      case 'stderr':
        this.#say(printableLine(event.text, 80));
        return;
      case 'verification':
        if (event.phase === 'started') this.#say(event.text);
        else this.#print(color.magenta('check'), printable(event.text));
        return;
      case 'plan':
        this.#print(color.blue('plan '), printable(event.text));
        return;
      case 'error':
        this.#print(color.red('error'), printable(event.text));
        return;
      case 'status':
        if (event.model_call) this.#say(event.text);
        else this.#showStatus(printable(event.text));
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
    if (event.phase === 'started') return this.#say(event.text);
    const { color } = this.#terminal;
    const { success } = event;
    // A draft that no check judged has neither passed nor failed.
    const mark = success === undefined ? color.dim('·') : success ? color.green('✓') : color.red('✗');
    const iteration = event.iteration ?? 0;
    const number = iteration === this.#iteration ? '     ' : `${String(iteration).padStart(4)}.`;
    this.#iteration = iteration;
    const repaired = event.repaired === true ? color.dim(' repaired') : '';
    this.#print(color.cyan(number), `${mark} ${printable(event.text)}${repaired}`);
  }

  /** The streamed text of a single answer, once it is whole. */
  #flushAnswer(): void {
    if (this.#answer === '') return;
    this.#print(this.#terminal.color.dim('text '), printable(this.#answer).trim());
    this.#answer = '';
  }

  /** `text` is printable by now; it may be coloured. */
  #print(label: string, text: string): void {
    const running = this.#spinner?.isSpinning === true;
    if (running) this.#spinner?.stop();
    const [first = '', ...further] = text.split('\n');
    this.#terminal.prose(`  ${label} ${first}`, LABEL_INDENT);
    for (const line of further) this.#terminal.prose(`  ${LABEL_INDENT}${line}`, '');
    if (running) this.#spinner?.start();
  }

  #say(text: string): void {
    if (!this.#spinner) return;
    const figures = duration(performance.now() - this.#startMs) + this.#figures;
    const room = Math.max(20, this.#terminal.width - figures.length - 12);
    this.#spinner.text = `${printableLine(text, room)} ${this.#terminal.color.dim(figures)}`;
  }
}

const lastLineOf = (text: string): string => text.trimEnd().split('\n').at(-1)?.trim() ?? '';

/** Tokens and cost of the task until now; undefined where the event has none. */
function figuresOf({ tokens_so_far: tokens, cost_usd_so_far: cost = 0 }: ExecutionEvent): string | undefined {
  if (tokens === undefined) return undefined;
  return `, ${tokens} tokens${cost > 0 ? `, $${cost.toFixed(4)}` : ''}`;
}

function describe(body: Record<string, unknown>): string {
  const text = body.text ?? body.summary ?? body.status;
  return typeof text === 'string' ? text : JSON.stringify(body);
}

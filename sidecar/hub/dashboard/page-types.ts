/** Types of the page's scripts, made from the schemas of what the hub sends. Nothing here runs. */
import type * as z from 'zod';
import type { ExecutionEvent } from '../../protocol/events.ts';
import type { TaskResult, VerificationReport } from '../../protocol/result.ts';
import type { tokenSchema } from '../api/token-routes.ts';
import type { overviewSchema } from '../api/overview-route.ts';
import type {
  approvalSchema,
  meSchema,
  statsSchema,
  steerSchema,
  taskDetailSchema,
  taskListSchema,
  taskSummarySchema,
  workerSchema,
} from '../api/schemas.ts';

export type Approval = z.output<typeof approvalSchema>;
export type Me = z.output<typeof meSchema>;
export type Overview = z.output<typeof overviewSchema>;
export type Stats = z.output<typeof statsSchema>;
export type TokenInfo = z.output<typeof tokenSchema>;
export type TaskList = z.output<typeof taskListSchema>;
export type TaskSummary = z.output<typeof taskSummarySchema>;
export type TaskStatus = TaskSummary['status'];
export type Worker = z.output<typeof workerSchema>;

/** The text of any worker: each part may be missing or null, and a value may be of any type. */
export type Loose<T> = T extends readonly unknown[]
  ? unknown
  : T extends object
    ? { [K in keyof T]?: Loose<T[K]> | null }
    : unknown;
export type Result = Loose<TaskResult>;
export type Report = Loose<VerificationReport>;

export type TaskDetail = Omit<z.output<typeof taskDetailSchema>, 'result' | 'verification_report'> & {
  result: Result | null;
  verification_report: Report | null;
};

/** The body of a `task` event. */
export type TaskChange = TaskSummary & { reason: string };

interface Stored<K extends string, B> {
  id: number;
  task_id: string;
  at: number;
  generation: number;
  kind: K;
  body: B;
}
/** `has_details`: more is kept behind it. */
export type ExecutionStored = Stored<'execution', ExecutionEvent & { has_details?: boolean }>;
export type TaskStored = Stored<'task', TaskChange>;
export type ApprovalStored = Stored<'approval', Approval>;
export type SteerStored = Stored<'steer', z.output<typeof steerSchema>>;
export type HubEvent = ExecutionStored | TaskStored | ApprovalStored | SteerStored;

/** The full content of a row of a timeline: an event, or parts of several. */
export type RowDetail = Partial<ExecutionEvent>;
export type Call = NonNullable<RowDetail['model_call']>;

export type RowType =
  | 'call'
  | 'model'
  | 'text'
  | 'output'
  | 'status'
  | 'error'
  | 'plan'
  | 'check'
  | 'steer'
  | 'approval'
  | 'state'
  | 'attempt'
  | 'iteration';

/** An event whose details are read when its row is opened. */
export interface Opened {
  taskId: string;
  eventId: number;
}

/** A row as it is begun. */
export interface RowFacts {
  type: RowType;
  label: string;
  args?: string | undefined;
  iteration?: number | undefined;
  detail?: RowDetail | undefined;
  isDraft?: boolean;
  /** Events with more behind them, in order. */
  opens?: readonly Opened[];
  /** The text that a model writes. */
  text?: string;
  /** Of a hold its reason without figures, of the end of an attempt what ended it: rows of one cause that follow one another are one. */
  cause?: string;
  /** What the inspector lists of it. */
  facts?: [name: string, value: string | number | undefined][];
  /** An attempt begins: what follows at once joins the row. */
  begins?: boolean;
  success?: boolean | undefined;
  /** Undefined while it goes on. */
  endMs?: number | undefined;
}

export interface Row extends RowFacts {
  key: string;
  startMs: number;
  endMs: number | undefined;
  /** Counts its changes. */
  version: number;
  durationMs?: number | undefined;
  result?: string;
  /** How many events are one row. */
  times?: number;
  /** The output of the command. */
  output?: string;
  /** When a draft's model was asked, and when it had answered. */
  askedMs?: number;
  answeredMs?: number;
  /** When the model began to write. */
  textMs?: number;
}

/** The rows of a VirtualList, and how they are shown. */
export interface ListOptions<Item, Element extends HTMLElement> {
  /** In pixels. */
  rowHeight: number;
  keyOf: (item: Item) => string;
  /** Makes a row's element. */
  create: () => Element;
  /** Shows an item in an element, also where that showed another one before. */
  update: (element: Element, item: Item, index: number) => void;
  onNearEnd?: () => void;
  /** What scrolls the list, where it does not scroll by itself. */
  scrollerOf?: (list: HTMLElement) => HTMLElement | null;
  /** What covers the first and the last pixels of the window. */
  edgePx?: number;
  props: Props;
}

/** Why the hub did not do what it was asked. */
export interface Problem extends Error {
  /** Of the HTTP answer; 0 where none came. */
  status: number;
}

/** A listener for changes in the hub. */
export interface FeedListener {
  onTasks: (page: TaskList, how: { append: boolean }) => void;
  onTask: (task: TaskChange) => void;
  onWorkers: (workers: Worker[]) => void;
  onWorker: (worker: Worker) => void;
  onTaskEvent: (event: HubEvent) => void;
  /** `fresh`: all of the task's events follow. */
  onDetail: (detail: TaskDetail | undefined, how: { fresh: boolean; error?: Problem }) => void;
  onConnection: (state: 'live' | 'lost', error?: unknown) => void;
  onRefused: (error: Error) => void;
}

export type Child = Node | string | number | false | null | undefined | readonly Child[];
/** Attributes, handlers (`onclick`), and `style` as custom properties and the like. */
export type Props = Record<
  string,
  string | number | boolean | null | undefined | Record<string, string> | ((event: never) => unknown)
>;

/** The element of `button.primary`. */
export type ElementOf<S extends string> = S extends `${infer Tag}.${string}` ? Named<Tag> : Named<S>;
type Named<Tag extends string> = Tag extends keyof HTMLElementTagNameMap
  ? HTMLElementTagNameMap[Tag]
  : HTMLElement;

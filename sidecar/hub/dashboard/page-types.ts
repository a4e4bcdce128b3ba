/** Types of the page's scripts, derived from the schemas of the hub's answers. Contains no code. */
import type * as z from 'zod';
import type { ExecutionEvent } from '../../base/protocol/events.ts';
import type { TaskResult, VerificationReport } from '../../base/protocol/result.ts';
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

/** Data of any worker: each part may be missing or null, and a value may have any type. */
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

interface StoredEvent<K extends string, B> {
  id: number;
  task_id: string;
  at: number;
  generation: number;
  kind: K;
  body: B;
}
/** A stored execution event. `has_details`: whether the hub stores its details. */
export type StoredExecution = StoredEvent<'execution', ExecutionEvent & { has_details?: boolean }>;
export type StoredTaskChange = StoredEvent<'task', TaskChange>;
export type StoredApproval = StoredEvent<'approval', Approval>;
export type StoredSteering = StoredEvent<'steer', z.output<typeof steerSchema>>;
export type HubEvent = StoredExecution | StoredTaskChange | StoredApproval | StoredSteering;

/** The full content of a timeline row: an event, or parts of several. */
export type RowDetail = Partial<ExecutionEvent>;
export type ModelCallDetail = NonNullable<RowDetail['model_call']>;

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

/** Refers to an event whose details are read when the event's row is opened. */
export interface EventReference {
  taskId: string;
  eventId: number;
}

/** The fields of a new row. */
export interface RowFacts {
  type: RowType;
  label: string;
  args?: string | undefined;
  iteration?: number | undefined;
  detail?: RowDetail | undefined;
  isDraft?: boolean;
  /** Events whose stored details the row shows, in order. */
  opens?: readonly EventReference[];
  /** The text written by the model. */
  text?: string;
  /**
   * Reason for a hold, without its figures, or the ending of an attempt. Consecutive rows with the same cause are
   * merged.
   */
  cause?: string;
  /** Names and values that the inspector shows. */
  facts?: [name: string, value: string | number | undefined][];
  /** True if an attempt begins with this row: the next state changes are merged into the row. */
  begins?: boolean;
  success?: boolean | undefined;
  /** End time; undefined while the call or check is running. */
  endMs?: number | undefined;
}

export interface TimelineRow extends RowFacts {
  key: string;
  startMs: number;
  endMs: number | undefined;
  /** Number that is incremented with each change of the row. */
  version: number;
  durationMs?: number | undefined;
  result?: string;
  /** Number of events merged in the row. */
  times?: number;
  /** The output of the command. */
  output?: string;
  /** Start of a draft's model call. */
  askedMs?: number;
  /** End of a draft's model call. */
  answeredMs?: number;
  /** When the model began to write. */
  textMs?: number;
}

/** Options of a `VirtualList`. */
export interface ListOptions<Item, Element extends HTMLElement> {
  /** Height of a row in pixels. */
  rowHeight: number;
  keyOf: (item: Item) => string;
  /** Creates a row's element. */
  create: () => Element;
  /** Renders an item in an element, which may have shown another item. */
  update: (element: Element, item: Item, index: number) => void;
  onNearEnd?: () => void;
  /** Returns the element that scrolls the list, if the list itself does not. */
  scrollerOf?: (list: HTMLElement) => HTMLElement | null;
  /** Height in pixels of the areas at both ends of the window that other elements cover. */
  edgePx?: number;
  props: Props;
}

/** A failed request to the hub. */
export interface RequestError extends Error {
  /** Status of the HTTP answer; 0 if there was none. */
  status: number;
}

/** Receives changes of the hub. */
export interface FeedListener {
  onTasks: (page: TaskList, how: { append: boolean }) => void;
  onTask: (task: TaskChange) => void;
  onWorkers: (workers: Worker[]) => void;
  onWorker: (worker: Worker) => void;
  onTaskEvent: (event: HubEvent) => void;
  /** Called with the open task. `fresh`: all events of the task follow. */
  onDetail: (detail: TaskDetail | undefined, how: { fresh: boolean; error?: RequestError }) => void;
  onConnection: (state: 'live' | 'lost', error?: unknown) => void;
  onRefused: (error: Error) => void;
}

export type Child = Node | string | number | false | null | undefined | readonly Child[];
/** Attributes, event handlers (`onclick`), and `style` as an object of properties. */
export type Props = Record<
  string,
  string | number | boolean | null | undefined | Record<string, string> | ((event: never) => unknown)
>;

/** The element type of a selector such as `button.primary`. */
export type ElementOf<S extends string> = S extends `${infer Tag}.${string}`
  ? NamedElement<Tag>
  : NamedElement<S>;
type NamedElement<Tag extends string> = Tag extends keyof HTMLElementTagNameMap
  ? HTMLElementTagNameMap[Tag]
  : HTMLElement;

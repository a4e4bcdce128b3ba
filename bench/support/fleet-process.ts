/**
 * Many workers in one process: bare sockets that speak the protocol and have nothing to do. Each accepts its task at
 * once. It completes it as soon as the hub has acknowledged that, or keeps it and reports events of it.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { WebSocket } from 'ws';
import { answerQuestions } from './child.ts';

export interface FleetOptions {
  wsUrl: string;
  token: string;
  workers: number;
  /** Tasks are kept, not completed. */
  keeps?: boolean;
}
/**
 * `connect`: answered when everybody is known to the hub. `work`: when so many tasks were acknowledged as complete (as
 * accepted, where they are kept). `report`: when each kept task has had so many events, one every `everyMs`.
 */
export type FleetQuestion =
  { kind: 'connect' } | { kind: 'work'; tasks: number } | { kind: 'report'; events: number; everyMs: number };
export interface FleetAnswer {
  /** Task id and when its assignment arrived, in milliseconds since the epoch; in order of arrival. */
  assigned: [string, number][];
}

interface Frame {
  type: string;
  task_id: string;
  generation: number;
  status?: string;
}

const options = JSON.parse(process.argv[2] ?? '{}') as FleetOptions;
const sockets: WebSocket[] = [];
let assigned: FleetAnswer['assigned'] = [];
const kept: { socket: WebSocket; taskId: string }[] = [];
let completed = 0;
let onCompleted: () => void = () => undefined;

answerQuestions({}, answer, () => {
  for (const socket of sockets) socket.terminate();
  return Promise.resolve();
});

async function answer(asked: unknown): Promise<object> {
  const question = asked as FleetQuestion;
  if (question.kind === 'connect') {
    await Promise.all(Array.from({ length: options.workers }, (_, index) => connect(`bench-${index + 1}`)));
    return {};
  }
  if (question.kind === 'report') {
    await Promise.all(
      kept.map((task, index) => report(task, (index / kept.length) * question.everyMs, question)),
    );
    return {};
  }
  await new Promise<void>((resolve) => {
    onCompleted = () => {
      if (completed >= question.tasks) resolve();
    };
    onCompleted();
  });
  const done: FleetAnswer = { assigned };
  assigned = [];
  completed = 0;
  return done;
}

function connect(agentId: string): Promise<void> {
  const socket = new WebSocket(options.wsUrl, { perMessageDeflate: false });
  sockets.push(socket);
  return new Promise((resolve, reject) => {
    socket.once('error', reject);
    socket.on('open', () =>
      send(socket, {
        type: 'identify',
        agent_id: agentId,
        token: options.token,
        capacity: 1,
        client_type: 'sidecar',
      }),
    );
    const generations = new Map<string, number>();
    socket.on('message', (data) => {
      const frame = JSON.parse((data as Buffer).toString()) as Frame;
      if (frame.type === 'identified') resolve();
      else react(socket, frame, generations);
    });
  });
}

/** The text of an event is the time at which it is sent, in milliseconds since the epoch. */
async function report(
  { socket, taskId }: { socket: WebSocket; taskId: string },
  firstAfterMs: number,
  { events, everyMs }: { events: number; everyMs: number },
): Promise<void> {
  const firstMs = performance.now() + firstAfterMs;
  for (let seq = 1; seq <= events; seq += 1) {
    await sleep(Math.max(0, firstMs + (seq - 1) * everyMs - performance.now()));
    const text = String(performance.timeOrigin + performance.now());
    const event = { event_type: 'status', text, seq };
    send(socket, { type: 'task_progress', task_id: taskId, execution_event: event });
  }
}

function react(socket: WebSocket, frame: Frame, generations: Map<string, number>): void {
  const { type, task_id: taskId, status } = frame;
  if (type === 'task_assign') {
    assigned.push([taskId, performance.timeOrigin + performance.now()]);
    generations.set(taskId, frame.generation);
    send(socket, { type: 'task_accepted', task_id: taskId });
  } else if (type === 'task_ack' && status === 'accepted' && options.keeps) {
    kept.push({ socket, taskId });
    completed += 1;
    onCompleted();
  } else if (type === 'task_ack' && status === 'accepted') {
    const result = { status: 'success', output: 'Done.', tokens_in: 100, tokens_out: 10 };
    send(socket, { type: 'task_complete', task_id: taskId, generation: generations.get(taskId), result });
  } else if (type === 'task_ack' && status === 'complete') {
    generations.delete(taskId);
    completed += 1;
    onCompleted();
  }
}

const send = (socket: WebSocket, frame: object): void => socket.send(JSON.stringify(frame));

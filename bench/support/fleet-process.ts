/**
 * Many workers in one process: bare sockets that speak the protocol and have nothing to do. Each accepts its task at
 * once and completes it as soon as the hub has acknowledged that.
 */
import { WebSocket } from 'ws';
import { answerQuestions } from './child.ts';

export interface FleetOptions {
  wsUrl: string;
  token: string;
  workers: number;
}
/** `work`: answered when so many tasks were acknowledged as complete. `connect`: when everybody is known to the hub. */
export type FleetQuestion = { kind: 'connect' } | { kind: 'work'; tasks: number };
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

function react(socket: WebSocket, frame: Frame, generations: Map<string, number>): void {
  const { type, task_id: taskId, status } = frame;
  if (type === 'task_assign') {
    assigned.push([taskId, performance.timeOrigin + performance.now()]);
    generations.set(taskId, frame.generation);
    send(socket, { type: 'task_accepted', task_id: taskId });
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

/** Frames as nobody should send them: mutilated, huge, deep, binary, of the wrong side, or right ones at the wrong time. */

import { hubFrameSchemas } from '../../sidecar/base/protocol/hub-frames.ts';
import { workerFrameSchemas } from '../../sidecar/base/protocol/worker-frames.ts';

const types = [
  ...Object.keys(workerFrameSchemas),
  ...Object.keys(hubFrameSchemas),
  'agent_joined',
  'no_such_type',
];
const fields =
  'task_id generation result error progress execution_event agent_id token status metadata capabilities capacity features retry_after_ms remaining text decision description verification_steps routing_decision assigned_at action __proto__ constructor'.split(
    ' ',
  );

export interface StrangeFrames {
  /** A text, or bytes that are to go as a binary frame. */
  next(): string | Buffer;
}

/** `known`: fields with which a frame is nearly right, such as a real task's id. */
export function strangeFrames(random: () => number, known: Record<string, unknown> = {}): StrangeFrames {
  const pick = <T>(from: readonly T[]): T => from[Math.floor(random() * from.length)] as T;
  const value = (depth = 0): unknown => {
    const kinds = depth > 3 ? 8 : 10;
    switch (Math.floor(random() * kinds)) {
      case 0:
        return null;
      case 1:
        return random() < 0.5;
      case 2:
        return pick([0, -1, 1, 1.5, 2 ** 53, -(2 ** 63), 1e308, 4e9]);
      case 3:
        return pick([
          '',
          't1',
          '../../etc/passwd',
          '\u0000',
          '\uD800',
          '💥'.repeat(20),
          '<script>',
          "'; DROP TABLE tasks",
        ]);
      case 4:
        return 'x'.repeat(Math.floor(random() * 3_000));
      case 5:
      case 6:
      case 7:
        return pick(Object.values(known).length > 0 ? Object.values(known) : ['t1']);
      case 8:
        return Array.from({ length: Math.floor(random() * 4) }, () => value(depth + 1));
      default:
        return object(depth + 1);
    }
  };
  const object = (depth: number): Record<string, unknown> =>
    Object.fromEntries(
      Array.from({ length: Math.floor(random() * 5) }, () => [pick(fields), value(depth)] as const),
    );
  const frame = (): string => {
    const right = random() < 0.5 ? known : {};
    return JSON.stringify({ type: pick(types), protocol_version: 1, ...right, ...object(0) });
  };
  const mutilated = (): string => {
    const text = frame();
    const at = Math.floor(random() * text.length);
    return pick([
      text.slice(0, at),
      text.slice(at),
      text.slice(0, at) + pick(['{', '"', '\\', '\u0000', ']']) + text.slice(at),
    ]);
  };
  const deep = (): string => {
    const levels = Math.floor(random() * 20_000);
    const nested = '['.repeat(levels) + ']'.repeat(levels);
    return `{"type":"${pick(types)}","task_id":"t1","generation":1,"description":"d","metadata":{"a":${nested}},"result":{"a":${nested}}}`;
  };
  return {
    next() {
      const kind = random();
      if (kind < 0.72) return frame();
      if (kind < 0.9) return mutilated();
      if (kind < 0.94) return deep();
      if (kind < 0.96) return JSON.stringify({ type: pick(types), ...known, text: 'y'.repeat(200_000) });
      if (kind < 0.98)
        return pick(['', '[]', 'null', '0', '"text"', '{}', '{"type":null}', '{"type":{"type":"ping"}}']);
      return Buffer.from(frame());
    },
  };
}

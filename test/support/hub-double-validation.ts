/** What the public hub finds wrong with a frame. */
import type { Received } from './hub-double.ts';

type FieldType = 'string' | 'integer' | 'number' | 'object' | 'strings' | 'any';
const schemas: Record<string, { required: Record<string, FieldType>; optional: Record<string, FieldType> }> =
  {
    identify: {
      required: { agent_id: 'string', token: 'string' },
      optional: { name: 'string', status: 'string', capabilities: 'strings', ollama_url: 'string' },
    },
    ping: { required: {}, optional: {} },
    message: { required: { payload: 'object' }, optional: { to: 'string' } },
    task_accepted: { required: { task_id: 'string' }, optional: {} },
    task_progress: {
      required: { task_id: 'string' },
      optional: { progress: 'integer', execution_event: 'object' },
    },
    task_complete: {
      required: { task_id: 'string', generation: 'integer' },
      optional: { result: 'object', tokens_used: 'integer', verification_report: 'object' },
    },
    task_failed: {
      required: { task_id: 'string', generation: 'integer' },
      optional: { error: 'string', reason: 'string' },
    },
    task_recovering: { required: { task_id: 'string' }, optional: {} },
    state_report: {
      required: { task_id: 'string' },
      optional: { status: 'string', generation: 'integer', assigned_at: 'any' },
    },
    resource_report: {
      required: {},
      optional: Object.fromEntries(
        ['cpu_percent', 'ram_used_bytes', 'ram_total_bytes', 'vram_used_bytes', 'vram_total_bytes'].map(
          (name) => [name, 'number' as const],
        ),
      ),
    },
  };
const maxLength: Record<string, number> = {
  agent_id: 128,
  description: 10_000,
  status: 256,
  token: 256,
  error: 2_000,
  reason: 2_000,
  name: 256,
  ollama_url: 512,
};

/** One entry for each thing that is wrong; empty for a frame that the hub takes. */
export function validate(frame: Received): object[] {
  const schema = Object.hasOwn(schemas, frame.type) ? schemas[frame.type] : undefined;
  if (!schema) return [{ field: 'type', error: 'unknown_message_type' }];
  const errors: object[] = [];
  const check = (field: string, type: FieldType) => {
    const value: unknown = frame[field];
    if (!hasType(value, type)) errors.push({ field, error: 'wrong_type' });
    const limit = maxLength[field];
    if (
      typeof value === 'string' &&
      limit !== undefined &&
      [...new Intl.Segmenter().segment(value)].length > limit
    ) {
      errors.push({ field, error: 'too_long' });
    }
  };
  for (const [field, type] of Object.entries(schema.required)) {
    if (frame[field] === undefined || frame[field] === null) errors.push({ field, error: 'required' });
    else check(field, type);
  }
  for (const [field, type] of Object.entries(schema.optional)) {
    if (frame[field] !== undefined && frame[field] !== null) check(field, type);
  }
  return errors;
}

function hasType(value: unknown, type: FieldType): boolean {
  if (type === 'any') return true;
  if (type === 'string') return typeof value === 'string';
  if (type === 'number') return typeof value === 'number';
  if (type === 'integer') return Number.isSafeInteger(value);
  if (type === 'strings') return Array.isArray(value) && value.every((one) => typeof one === 'string');
  return typeof value === 'object' && !Array.isArray(value);
}

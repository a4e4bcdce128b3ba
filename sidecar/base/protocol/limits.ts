/**
 * Limits and intervals that both sides of the hub protocol share. Sizes are bytes of UTF-8, or characters if the name contains `CHARS`;
 * times are milliseconds.
 */
export const PROTOCOL_VERSION = 1;

/** Maximum size of a frame that a side sends. */
export const MAX_FRAME_OUT_BYTES = 1024 * 1024;
/** Maximum size of a frame that a side accepts. */
export const MAX_FRAME_IN_BYTES = 4 * 1024 * 1024;
/** Maximum number of events in one progress frame. */
export const MAX_BATCHED_EVENTS = 1_000;
/** Maximum number of characters in the details of one event. Notes on omitted text are not counted. */
export const MAX_DETAIL_CHARS = 16 * 1024;
/** Maximum number of characters in the details of all events of one run of a task. */
export const MAX_TASK_DETAIL_CHARS = 1024 * 1024;
export const MAX_EVENT_DETAILS = 50;
/** Maximum size of the patch in a result. */
export const MAX_PATCH_BYTES = 384 * 1024;

/** Maximum lengths of strings that the public hub accepts, by field name. */
export const MAX_FIELD_CHARS = {
  agent_id: 128,
  description: 10_000,
  status: 256,
  token: 256,
  error: 2_000,
  reason: 2_000,
  name: 256,
  repo: 512,
  ollama_url: 512,
  not_ready: 2_000,
  needs_model: 2_000,
  notice: 2_000,
} as const;

export const MAX_ARGS_SUMMARY_CHARS = 200;
export const MAX_RESULT_SUMMARY_CHARS = 100;

export const PING_INTERVAL_MS = 30_000;
export const PONG_TIMEOUT_MS = 10_000;
export const ACK_TIMEOUT_MS = 30_000;
export const RECONNECT_MIN_MS = 1_000;
export const RECONNECT_MAX_MS = 15_000;
/** Interval of status events. A worker that sends nothing for ten minutes loses its task. */
export const STATUS_INTERVAL_MS = 30_000;
/** Maximum number of frames per minute that the public hub accepts from a worker, for all its tasks together. */
export const DEFAULT_FRAMES_PER_MINUTE = 60;

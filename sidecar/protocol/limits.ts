/**
 * The numbers that both sides of the hub protocol agree on, in one place.
 * Sizes are bytes of UTF-8 unless the name says characters; times are milliseconds.
 */
export const PROTOCOL_VERSION = 1;

/** Largest frame that a side sends, and the largest it reads. */
export const MAX_FRAME_OUT_BYTES = 1024 * 1024;
export const MAX_FRAME_IN_BYTES = 4 * 1024 * 1024;
/** Events in one frame of progress. */
export const MAX_BATCHED_EVENTS = 1_000;
/** Characters of the details of one event, and of all events of one run of a task; notes on what was left out come on top. */
export const MAX_DETAIL_CHARS = 16 * 1024;
export const MAX_TASK_DETAIL_CHARS = 1024 * 1024;
export const MAX_EVENT_DETAILS = 50;
/** Largest patch inside a result. */
export const MAX_PATCH_BYTES = 384 * 1024;

/** Longest strings that the public hub accepts, by field name. */
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
/** A worker that is silent for ten minutes loses its task; a status event is due well before. */
export const STATUS_INTERVAL_MS = 30_000;
/** The public hub's one bucket for all task frames. */
export const DEFAULT_FRAMES_PER_MINUTE = 60;

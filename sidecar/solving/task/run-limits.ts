/** Computes the limits of a task's time and iterations from its options, limited by the configuration. */
import type { Config } from '../../base/config/schema.ts';
import type { Task } from '../../base/protocol/task.ts';

export interface RunLimits {
  /** Maximum number of the model's answers in the whole task. */
  maxIterations: number;
  /** Wall-clock limit of the whole task, in milliseconds. */
  timeoutMs: number;
  maxVerificationRetries: number;
  verificationTimeoutMs: number;
  /** Whether the task must not change files. If so, the stall guard is off. */
  readOnly: boolean;
}

/** Maximum number of iterations that metadata can set, so that a typing error does not occupy the GPU for a week. */
const MAX_METADATA_ITERATIONS = 1000;

/** Factor of the configured iterations, by the hub's complexity tier. */
const ITERATIONS_BY_TIER: Readonly<Record<string, number>> = { trivial: 0.5, complex: 2 };

/**
 * Returns the limits of a task; `metadata.max_iterations`, `_agentic_max_iterations` and `metadata.timeout_ms` override the limits of its
 * tier. `hasFolder`: the task works in a folder of its caller.
 */
export function computeRunLimits(
  task: Task,
  limits: Config['limits'],
  agentic: boolean,
  hasFolder = false,
): RunLimits {
  const tier = task.complexity?.effective_tier ?? '';
  const byTier = Math.max(1, Math.round(limits.maxIterations * (ITERATIONS_BY_TIER[tier] ?? 1)));
  const iterations =
    readPositiveInteger(task.metadata.max_iterations) ?? task._agentic_max_iterations ?? byTier;
  const configured = agentic ? limits.agenticTimeoutMs : limits.simpleTimeoutMs;
  const wanted = readPositiveInteger(task.metadata.timeout_ms) ?? configured;
  return {
    maxIterations: Math.min(iterations, MAX_METADATA_ITERATIONS),
    // The smaller limit applies, since a hub may shorten the time and not extend it.
    timeoutMs: Math.min(wanted, configured),
    maxVerificationRetries: Math.min(task.max_verification_retries ?? 2, limits.maxVerificationRetries),
    verificationTimeoutMs: task.verification_timeout_ms ?? limits.verificationTimeoutMs,
    readOnly: isReadOnly(task) || !(hasFolder || task.repo),
  };
}

/** Returns whether a task must not change files. Only `metadata.read_only` decides, not the description. */
export const isReadOnly = ({ metadata }: Pick<Task, 'metadata'>): boolean => metadata.read_only === true;

function readPositiveInteger(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isInteger(value) && value > 0 ? value : undefined;
}

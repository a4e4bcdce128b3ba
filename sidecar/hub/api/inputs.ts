/** Request inputs shared by several routes, and pages of their answers. */
import type { FastifyRequest } from 'fastify';
import * as z from 'zod';

export const taskParamsSchema = z.object({ id: z.string().min(1).max(256).describe('Task id') });

/** Schema of the sequence numbers in `after` and `before`. */
export const sequenceNumberSchema = z.coerce.number().int().min(0).optional();

/** Returns the schema of a page's size, from 1 to `max`. */
export const pageSizeSchema = (max: number, defaultSize: number) =>
  z.coerce.number().int().min(1).max(max).default(defaultSize);

/** Returns the number to resume after. `Last-Event-ID` takes precedence: a browser that reconnects repeats the first URL. */
export function startNumberOf(
  { headers }: FastifyRequest,
  { after }: { after?: number | undefined },
): number | undefined {
  const value = Number(headers['last-event-id'] ?? Number.NaN);
  return Number.isSafeInteger(value) && value >= 0 ? value : after;
}

/** Cuts rows, which were read with a limit of `limit + 1`, to a page of `limit` rows. */
export const cutPage = <Row>(rows: readonly Row[], limit: number): { page: Row[]; more: boolean } => ({
  page: rows.slice(0, limit),
  more: rows.length > limit,
});

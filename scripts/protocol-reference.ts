/**
 * The protocol for hubs in other languages: a JSON Schema and a readable list, generated from the zod schemas
 * that both sides validate with. Pure; `docs.mjs` writes the files.
 */
import * as z from 'zod';
import { eventTypes } from '../sidecar/base/protocol/events.ts';
import { finalFailureCodes } from '../sidecar/base/protocol/failure-codes.ts';
import { hubFrameSchemas, ignoredHubFrameTypes } from '../sidecar/base/protocol/hub-frames.ts';
import * as limits from '../sidecar/base/protocol/limits.ts';
import { taskResultSchema, verificationReportSchema } from '../sidecar/base/protocol/result.ts';
import { workerFrameSchemas } from '../sidecar/base/protocol/worker-frames.ts';

type JsonSchema = Record<string, unknown>;

/** The length of most strings, which the list leaves out. */
const SHORT = 256;

const toSchema = (schema: z.ZodType): JsonSchema => {
  const { $schema: _version, ...rest } = z.toJSONSchema(schema, {
    io: 'input',
    unrepresentable: 'any',
  }) as JsonSchema;
  return rest;
};
const named = (schemas: Record<string, z.ZodType>): Record<string, JsonSchema> =>
  Object.fromEntries(Object.entries(schemas).map(([name, schema]) => [name, toSchema(schema)]));

/** `docs/protocol.schema.json`: one definition per frame, by direction, and the shape of a result. */
export function protocolJsonSchema(): JsonSchema {
  const worker = named(workerFrameSchemas);
  const hub = named(hubFrameSchemas);
  const refs = (direction: string, schemas: object) =>
    Object.keys(schemas).map((name) => ({ $ref: `#/$defs/${direction}/${name}` }));
  return {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    title: `ollama-sidecar hub protocol, version ${limits.PROTOCOL_VERSION}`,
    anyOf: [...refs('worker', worker), ...refs('hub', hub)],
    $defs: {
      worker,
      hub,
      result: toSchema(taskResultSchema),
      verification_report: toSchema(verificationReportSchema),
    },
  };
}

/** `docs/PROTOCOL.md`. */
export function protocolMarkdown(): string {
  return [
    `# Hub protocol, version ${limits.PROTOCOL_VERSION}`,
    '<!-- Generated from sidecar/base/protocol by scripts/docs.mjs; edit the schemas instead. -->',
    [
      'A worker and a hub exchange JSON text frames over one WebSocket, one object each, named by `type`. Unknown fields and types',
      'are ignored, and null is the same as missing. Fields with `?` are optional. A number behind `string` is its maximum length; a',
      `field without a type is a string of at most ${SHORT} characters. [JSON Schema](protocol.schema.json) of all of it, nested`,
      'fields included; [how frames answer each other](dev/protocol.md).',
    ].join('\n'),
    'Contents: [worker → hub](#worker--hub), [hub → worker](#hub--worker), [results](#results), [failures](#failures), [limits](#limits).',
    '## Worker → hub',
    ...sections(workerFrameSchemas),
    '## Hub → worker',
    ...sections(hubFrameSchemas),
    `Broadcasts that a worker ignores: ${ignoredHubFrameTypes.map((type) => `\`${type}\``).join(', ')}.`,
    '## Results',
    'What this worker puts into `task_complete.result`, and into `task_failed.result` for a hub that announced `failed_result`.',
    fields(toSchema(taskResultSchema)),
    `\`execution_event.event_type\`: ${eventTypes.map((type) => `\`${type}\``).join(', ')}.`,
    '## Failures',
    [
      '`task_failed.error` begins with a code and a colon, or with `<termination_reason> after N iterations: ` and, where one is',
      'known, a code and a colon. A task that failed with one of these codes would fail the same way again, so the embedded hub',
      `makes it a dead letter at once: ${finalFailureCodes.map((code) => `\`${code}\``).join(', ')}.`,
    ].join('\n'),
    '## Limits',
    limitsList(),
    '',
  ].join('\n\n');
}

function sections(schemas: Record<string, z.ZodType>): string[] {
  return Object.entries(schemas).flatMap(([name, schema]) => [`### \`${name}\``, fields(toSchema(schema))]);
}

/** Lists the fields, the required ones first; nested objects are named by their shape. */
function fields(schema: JsonSchema): string {
  const properties = (schema.properties ?? {}) as Record<string, JsonSchema>;
  const required = (schema.required ?? []) as string[];
  const named = Object.entries(properties).filter(([name]) => name !== 'type' && name !== 'protocol_version');
  if (named.length === 0) return 'No fields.';
  const isOptional = ([name]: [string, JsonSchema]) => !required.includes(name);
  return [...named.filter((field) => !isOptional(field)), ...named.filter(isOptional)]
    .map(([name, field]) => fieldText(required.includes(name) ? name : `${name}?`, field))
    .join('; ');
}

function fieldText(name: string, schema: JsonSchema): string {
  const type = typeText(schema);
  return type === `string (${SHORT})` ? `\`${name}\`` : `\`${name}\` ${type}`;
}

function typeText(schema: JsonSchema): string {
  if (Array.isArray(schema.anyOf)) {
    const branches = (schema.anyOf as JsonSchema[]).filter((branch) => branch.type !== 'null').map(typeText);
    return [...new Set(branches)].join(' or ');
  }
  if ('const' in schema) return `\`${JSON.stringify(schema.const)}\``;
  if (Array.isArray(schema.enum)) return schema.enum.map((value) => `\`${String(value)}\``).join(', ');
  if (schema.type === 'array') return `list of ${typeText((schema.items ?? {}) as JsonSchema)}`;
  if (schema.type === 'object') return objectText(schema);
  if (schema.type === 'string') {
    const { maxLength } = schema;
    return typeof maxLength === 'number' ? `string (${maxLength})` : 'string';
  }
  return typeof schema.type === 'string' ? schema.type : 'any';
}

function objectText(schema: JsonSchema): string {
  const names = Object.keys(schema.properties ?? {});
  if (names.length === 0) return 'object';
  return `{ ${names.map((name) => `\`${name}\``).join(', ')} }`;
}

function limitsList(): string {
  const lines = [
    ['largest frame of a worker', `${limits.MAX_FRAME_OUT_BYTES} bytes`],
    ['largest frame that is read', `${limits.MAX_FRAME_IN_BYTES} bytes`],
    ['largest patch in a result', `${limits.MAX_PATCH_BYTES} bytes`],
    ['frames a minute, unless the hub announces another figure', String(limits.DEFAULT_FRAMES_PER_MINUTE)],
    ['`ping` every', `${limits.PING_INTERVAL_MS} ms`],
    ['`pong` within', `${limits.PONG_TIMEOUT_MS} ms`],
    ['a result is sent again after', `${limits.ACK_TIMEOUT_MS} ms`],
    ['waiting between connections', `${limits.RECONNECT_MIN_MS} to ${limits.RECONNECT_MAX_MS} ms`],
    ['`args_summary`', `${limits.MAX_ARGS_SUMMARY_CHARS} characters`],
    ['`result_summary`', `${limits.MAX_RESULT_SUMMARY_CHARS} characters`],
  ];
  return lines.map(([what, limit]) => `- ${what}: ${limit}`).join('\n');
}

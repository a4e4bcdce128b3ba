/** Generates the OpenAPI 3.1 document from the declared routes and their zod schemas. */
import * as z from 'zod';
import { problemSchema } from './problem.ts';
import type { RouteDeclaration } from './route.ts';

type JsonObject = Record<string, unknown>;

export function createOpenApiDocument(routes: readonly RouteDeclaration[], version: string): JsonObject {
  const paths: Record<string, JsonObject> = {};
  for (const declaration of routes) {
    const path = declaration.path.replaceAll(/:(\w+)/g, '{$1}');
    paths[path] = { ...paths[path], [declaration.method.toLowerCase()]: describeOperation(declaration) };
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'ollama-sidecar hub',
      version,
      description:
        'Submit tasks, follow them live, answer their questions. Workers connect by WebSocket on /ws.',
    },
    security: [{ bearer: [] }],
    paths,
    components: {
      securitySchemes: { bearer: { type: 'http', scheme: 'bearer' } },
      schemas: { Problem: schemaOf(problemSchema, 'output') },
    },
  };
}

function describeOperation({
  summary,
  role,
  params,
  query,
  body,
  answers,
  method,
  path,
}: RouteDeclaration): JsonObject {
  const parameters = [...parametersOf(params, 'path'), ...parametersOf(query, 'query')];
  return {
    operationId: `${method.toLowerCase()}${path.replaceAll(/[^A-Za-z]+(\w?)/g, (_all, next: string) => next.toUpperCase())}`,
    summary,
    description: `Role: ${role} or above.`,
    ...(parameters.length > 0 && { parameters }),
    ...(body && {
      requestBody: {
        required: !body.safeParse({}).success,
        content: { 'application/json': { schema: schemaOf(body, 'input') } },
      },
    }),
    responses: {
      ...Object.fromEntries(Object.entries(answers).map(([status, answer]) => [status, answerOf(answer)])),
      default: {
        description: 'The problem and its remedy',
        content: { 'application/problem+json': { schema: { $ref: '#/components/schemas/Problem' } } },
      },
    },
  };
}

function answerOf({ description, schema, mediaType }: RouteDeclaration['answers'][number]): JsonObject {
  if (!schema && !mediaType) return { description };
  return {
    description,
    content: {
      [mediaType ?? 'application/json']: { schema: schema ? schemaOf(schema, 'output') : { type: 'string' } },
    },
  };
}

function parametersOf(schema: z.ZodType | undefined, location: 'path' | 'query'): JsonObject[] {
  if (!schema) return [];
  const { properties = {}, required = [] } = schemaOf(schema, 'input') as {
    properties?: Record<string, JsonObject>;
    required?: string[];
  };
  return Object.entries(properties).map(([name, { description, ...property }]) => ({
    name,
    in: location,
    required: location === 'path' || required.includes(name),
    ...(description !== undefined && { description }),
    schema: property,
  }));
}

function schemaOf(schema: z.ZodType, io: 'input' | 'output'): JsonObject {
  const { $schema: _dialect, ...rest } = z.toJSONSchema(schema, { io, unrepresentable: 'any' }) as JsonObject;
  return rest;
}

/**
 * Tools described in the prompt's own text, for the ways of calling that send no `tools` field.
 * The order is the registry's, so that the prompt stays byte-stable.
 */
import type { ToolDefinition } from '../model/chat.ts';

interface ParameterSchema {
  type?: string;
  description?: string;
  items?: ParameterSchema;
}

/** One line a tool and one a parameter: `- name: description`, `    key (type, required): description`. */
export function describeTools(definitions: readonly ToolDefinition[]): string {
  return definitions.map(describeTool).join('\n');
}

function describeTool({ function: tool }: ToolDefinition): string {
  const schema = tool.parameters as { properties?: Record<string, ParameterSchema>; required?: string[] };
  const required = new Set(schema.required);
  const parameters = Object.entries(schema.properties ?? {}).map(([key, value]) => {
    const kind = [value.type ?? 'any', ...(required.has(key) ? ['required'] : [])].join(', ');
    return `    ${key} (${kind})${value.description ? `: ${value.description}` : ''}`;
  });
  return [`- ${tool.name}: ${tool.description}`, ...parameters].join('\n');
}

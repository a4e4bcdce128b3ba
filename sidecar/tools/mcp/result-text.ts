/** Formats a server's result for the model: non-text parts are named and left out. Pure. */
import type { CallToolResult } from '@modelcontextprotocol/sdk/types.js';
import type { ToolOutput } from '../types.ts';

const MAX_PARTS = 1_000;

export function outputOf(result: CallToolResult): ToolOutput {
  const parts = result.content.slice(0, MAX_PARTS).map(partText);
  const left = result.content.length - parts.length;
  if (left > 0) parts.push(`[${left} more parts are left out]`);
  if (parts.length === 0 && result.structuredContent !== undefined)
    parts.push(JSON.stringify(result.structuredContent));
  const text = parts.join('\n');
  return {
    text: text === '' ? '(the tool answered without a text)' : text,
    isError: result.isError === true,
  };
}

function partText(part: CallToolResult['content'][number]): string {
  if (part.type === 'text') return part.text;
  if (part.type === 'image' || part.type === 'audio') return leftOut(part.type, part.mimeType, part.data);
  if (part.type === 'resource_link') return `[resource ${shown(part.name)}: ${shown(part.uri)}]`;
  const { resource } = part;
  if ('text' in resource) return `[${shown(resource.uri)}]\n${resource.text}`;
  return leftOut(`file ${shown(resource.uri)}`, resource.mimeType, resource.blob);
}

const leftOut = (what: string, mimeType: string | undefined, base64: string): string =>
  `[${what} left out: ${mimeType === undefined ? '' : `${shown(mimeType)}, `}${Math.round((base64.length * 3) / 4)} bytes]`;

const shown = (text: string): string => text.slice(0, 200);

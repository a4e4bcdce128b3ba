/**
 * Serves the dashboard's files. They are read once at the start from one folder, never from a path in a request. The
 * security policy allows nothing inline and nothing from another host.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { extname, join } from 'node:path';
import type { FastifyInstance } from 'fastify';

const mediaTypes: Record<string, string> = {
  '.html': 'text/html; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.svg': 'image/svg+xml',
};

const policy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self'",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  "trusted-types 'none'",
].join('; ');

const securityHeaders = {
  'content-security-policy': policy,
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'permissions-policy': 'camera=(), microphone=(), geolocation=()',
  'cache-control': 'no-cache',
};

/** Registers the routes of the files. Throws if the folder has no `index.html`. */
export function serveDashboard(app: FastifyInstance, folder: string): void {
  const files = readdirSync(folder).filter((name) => mediaTypes[extname(name)] !== undefined);
  for (const name of files) {
    const content = readFileSync(join(folder, name));
    const type = mediaTypes[extname(name)] ?? 'application/octet-stream';
    for (const path of name === 'index.html' ? ['/', '/index.html'] : [`/${name}`]) {
      app.get(path, (_request, reply) => reply.headers(securityHeaders).type(type).send(content));
    }
  }
  if (!files.includes('index.html')) throw new Error(`no index.html in the dashboard's folder ${folder}`);
}

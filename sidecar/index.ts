/** The typed library: what other programs may build on. */
export { configSchema } from './config/schema.ts';

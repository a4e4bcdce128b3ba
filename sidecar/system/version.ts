/** The package's version, read at build time. */
import manifest from '../../package.json' with { type: 'json' };

export const VERSION: string = manifest.version;

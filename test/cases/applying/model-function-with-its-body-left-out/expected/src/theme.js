import { parseIni } from './ini.js';

const DEFAULTS = { background: '#ffffff', text: '#000000' };

/** The colours of a theme file, with defaults for those it does not name. */
export function loadColors(text) {
	return { ...DEFAULTS, ...parseIni(text).colors };
}

/** Reads ini text: { section: { key: value } }; keys above the first section are under "". */
export function parseIni(text) {
	const sections = { '': {} };
	let current = sections[''];
	for (const [number, raw] of text.split('\n').entries()) {
		const line = stripComment(raw).trim();
		if (line === '') continue;
		const section = /^\[([^\]]+)\]$/.exec(line);
		if (section) {
			const name = section[1].trim();
			sections[name] ??= {};
			current = sections[name];
			continue;
		}
		const at = line.indexOf('=');
		if (at < 1) throw new Error(`line ${number + 1}: no key = value`);
		current[line.slice(0, at).trim()] = unquote(line.slice(at + 1).trim());
	}
	return sections;
}

/** The line without what stands behind a # or ; sign. */
function stripComment(line) {
	const at = line.search(/[#;]/);
	return at === -1 ? line : line.slice(0, at);
}

function unquote(value) {
	if (value.length >= 2 && value.startsWith('"') && value.endsWith('"')) return value.slice(1, -1);
	return value;
}

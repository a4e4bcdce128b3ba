const PLACEHOLDER = /\{\{\s*(\w+)\s*(?:\|([^{}]*))?\}\}/g;

/** The template with its placeholders filled in from values. */
export function render(template, values) {
  return template.replace(PLACEHOLDER, (match, name, fallback) => {
    const value = values[name];
    if (value === undefined || value === null) {
      if (fallback !== undefined) return fallback.trim();
      throw new Error(`missing value: ${name}`);
    }
    return String(value);
  });
}

const PLACEHOLDER = /\{\{\s*(\w+)\s*\}\}/g;

/** The template with its placeholders filled in from values. */
export function render(template, values) {
  return template.replace(PLACEHOLDER, (match, name) => {
    const value = values[name];
    if (value === undefined || value === null) {
      throw new Error(`missing value: ${name}`);
    }
    return String(value);
  });
}

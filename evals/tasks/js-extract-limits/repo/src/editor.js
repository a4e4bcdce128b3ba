/** What the editor shows under the text. */
export function status(text, pictures) {
  const left = 280 - text.length;
  const slots = 4 - pictures.length;
  return `${left} characters, ${slots === 1 ? '1 picture' : `${slots} pictures`} left`;
}

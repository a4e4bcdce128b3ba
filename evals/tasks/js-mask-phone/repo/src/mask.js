/** An address with only the first letter of its name: "a**@example.org". */
export function maskEmail(email) {
  const at = email.indexOf('@');
  if (at < 1) return email;
  return email[0] + '*'.repeat(at - 1) + email.slice(at);
}

/** A name with only its initials: "A. L." */
export function maskName(name) {
  return name
    .split(' ')
    .filter((part) => part !== '')
    .map((part) => `${part[0]}.`)
    .join(' ');
}

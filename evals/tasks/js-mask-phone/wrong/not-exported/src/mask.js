/** An address with only the first letter of its name: "a**@example.org". */
export function maskEmail(email) {
  const at = email.indexOf('@');
  if (at < 1) return email;
  return email[0] + '*'.repeat(at - 1) + email.slice(at);
}

/** A phone number with only its last four digits: "***-***-4567". */
export function maskPhone(phone) {
  let hide = phone.replace(/\D/g, '').length - 4;
  return phone.replace(/\d/g, (digit) => (hide-- > 0 ? '*' : digit));
}

/** A name with only its initials: "A. L." */
export function maskName(name) {
  return name
    .split(' ')
    .filter((part) => part !== '')
    .map((part) => `${part[0]}.`)
    .join(' ');
}

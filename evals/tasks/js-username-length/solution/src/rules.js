const USERNAME_MIN = 3;
const USERNAME_MAX = 20;
const PASSWORD_MIN = 8;
const RESERVED = ['admin', 'root', 'support'];

/** What is wrong with a username; an empty list if nothing is. */
export function checkUsername(name) {
  const problems = [];
  if (name.length < USERNAME_MIN) {
    problems.push(`username needs at least ${USERNAME_MIN} characters`);
  }
  if (name.length > USERNAME_MAX) {
    problems.push(`username has more than ${USERNAME_MAX} characters`);
  }
  if (!/^\w*$/.test(name)) {
    problems.push('username has characters that are not allowed');
  }
  if (RESERVED.includes(name.toLowerCase())) {
    problems.push('username is reserved');
  }
  return problems;
}

/** What is wrong with a password. */
export function checkPassword(password) {
  if (password.length < PASSWORD_MIN) {
    return [`password needs at least ${PASSWORD_MIN} characters`];
  }
  return [];
}

const MIN = 3;

export function problemsOf(name) {
  const problems = [];
  if (name.length < MIN) {
    problems.push('too short');
  }
  if (name === 'admin') {
    problems.push('reserved');
  }
  return problems;
}

const a = `${b}`;

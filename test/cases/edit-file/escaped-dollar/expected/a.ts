const a = `${c}`;

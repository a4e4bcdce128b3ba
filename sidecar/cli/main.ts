#!/usr/bin/env node
/** The command line's entry. */
console.error('ollama-sidecar: no command yet');

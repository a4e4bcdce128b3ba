/*
 * What the codes of failed tasks mean and what to do: made by npm run docs from docs/ERRORS.md.
 */

/** `[what it means, what to do]` */
export const advice = {
  storage_locked: ['another worker has the folder', 'stop it, or name another folder with worker.stateDir'],
  storage_read_only: [
    'the folder cannot be created or written',
    'check its permissions, or name another folder',
  ],
  temporary_folder: [
    'the temporary folder cannot be written',
    'free space or give permission there, or set TMPDIR',
  ],
  storage_disk_full: ['the disk is full', 'free some space and start again'],
  storage_corrupt: ['a database is damaged and was set aside', 'start again with an empty one'],
  storage_other_schema: [
    'a newer version of this program wrote it, or another program',
    'update ollama-sidecar, or move the file away to start with an empty one',
  ],
  storage_busy: ['another process has locked the database', 'find it (lsof) and end it'],
  storage_failed: ['the disk failed in another way', 'see the error code in the message'],
  session_not_written: [
    "the session's folder cannot be written",
    'check the data folder; the task continues',
  ],
  plan_not_written: ["the plan's document cannot be written", 'check the data folder; the task continues'],
  model_away: [
    'the server failed before the call had a slot',
    'see model_unreachable; raise limits.holdTimeoutMs to wait longer',
  ],
  model_unreachable: ['no Ollama at the address', 'start it (ollama serve), or set ollama.url (OLLAMA_HOST)'],
  model_not_found: [
    'the model is not installed',
    'download it with models pull NAME, or set ollama.autoPull',
  ],
  model_cannot_chat: ['the model only embeds texts and cannot answer', 'name another model'],
  model_timeout: ['no answer in time', 'use a smaller model, or raise the limit that the message names'],
  model_busy: [
    'the server refuses requests for now (503, 429), even after Retry-After',
    'run fewer tasks at once, or raise OLLAMA_NUM_PARALLEL',
  ],
  model_server_error: [
    'the server failed or broke off, also when tried again',
    'check its log; often it has too little memory',
  ],
  model_out_of_memory: [
    'too little memory for the model, even with half of the window and after three tries',
    'use the smaller model or window that the message names',
  ],
  model_load_failed: [
    'the server could not load the model, or not in time',
    'check its log, or raise ollama.loadTimeoutMs',
  ],
  model_repeats_token: [
    'the model repeats one token endlessly',
    'restart the server, or pull the model again',
  ],
  model_request_refused: [
    'the server refused the request (4xx)',
    "see the reason; often the model's name or an option is wrong",
  ],
  model_context_exceeded: [
    "the prompt is longer than the model's window",
    'raise ollama.maxContextTokens, or make the task smaller',
  ],
  model_malformed_call: [
    'the server works but cannot parse a tool call of the model',
    'no action: the worker asks once more, then for structured answers',
  ],
  model_garbage: [
    "the answer is not Ollama's",
    'check that the address is an Ollama server, without a proxy in between',
  ],
  model_incomplete: ['the stream broke off, also when tried again', "check the server's log"],
  model_reply_too_large: ['the answer is too large', 'set num_predict in models.json'],
  tools_unsupported: [
    'the model cannot call tools natively',
    'no action: the worker switches to structured answers',
  ],
  thinking_unsupported: ['the model cannot think', 'no action: the worker asks again without thinking'],
  context_exhausted: [
    'the conversation cannot be shortened any further',
    'use a larger window, or make the task smaller',
  ],
  aborted: ['stopped by a cancellation, a shutdown or a time limit', 'no action'],
  workspace_repo_missing: [
    'no git repository there',
    'name another path, or make it one: git init && git add -A && git commit; run takes --no-repo for an empty folder',
  ],
  workspace_repo_unsupported: ['addresses of this kind are not allowed', 'use a local path, https:// or ssh'],
  workspace_repo_not_allowed: [
    'the operator does not allow this repository',
    'add it to workspace.allowedRepos',
  ],
  workspace_repo_owner: [
    'a repository of another user, which git does not read',
    'name a clone of your own, or run the git config --global --add safe.directory of the message',
  ],
  workspace_repo_incomplete: [
    'a partial clone without files of the commit',
    'check that commit out there once, or name the remote',
  ],
  workspace_branch_missing: ['no such branch', 'check --branch'],
  workspace_ref_missing: [
    'no such commit, or a repository without commits',
    'push the commit, or commit once',
  ],
  workspace_fetch_failed: [
    'the repository cannot be fetched',
    "check the network and the credentials of the worker's user",
  ],
  checked_out: [
    'the branch is checked out in the repository, so it was not published',
    'check out another branch there',
  ],
  branch_in_the_way: [
    'a branch sidecar prevents branches below sidecar/, so the work was not published',
    'rename that branch',
  ],
  draft_not_written: [
    'a draft could not be applied to the worktree',
    'check the path and the reason in the message',
  ],
  workspace_patch_failed: [
    'the patch of a follow-up does not apply',
    'submit the task again, on a branch that has the work',
  ],
  workspace_prepare_failed: ['a command of workspace.prepare failed', 'run it by hand in a fresh clone'],
  workspace_no_work_tree: [
    'there are no checked-out files to merge into',
    'name a clone with into, or use the patch',
  ],
  workspace_dirty: [
    'the repository has uncommitted edits',
    'commit them, or give --allow-dirty (allow_dirty)',
  ],
  workspace_merge_failed: ['git cannot merge the work', 'merge by hand, or use the patch'],
  workspace_publish_failed: ['the branch could not be published', 'check the credentials, or use the patch'],
  workspace_disk_full: ['less free space than worker.minFreeDiskBytes', 'free some space'],
  workspace_lock_timeout: ["another worker held the repository's cache too long", 'try again'],
  workspace_folder_missing: ['the named folder does not exist', 'check the path'],
  workspace_io_failed: ['the file system failed', "see the system's error"],
  git_missing: ['git is not installed', 'install it'],
  git_failed: ['git refused', "see git's error"],
  git_timeout: ['git took too long', 'check the network, and the size of the repository'],
  git_output_too_large: ['the change is very large', 'split the task'],
  invalid_task: ['the assignment cannot be read', 'correct the field that the message names'],
  unsupported_target_type: ['the task is for another kind of worker', 'route it to such a worker'],
  task_tools_invalid: [
    'the task names a tool or a server that this worker does not have',
    'use one that the message lists',
  ],
  task_budget_exhausted: [
    'the task used up its budget without a result',
    'give it a larger budget (--budget-tokens, or budget in the submission)',
  ],
  worker_model_unfit: [
    "the worker does not have the task's model, or cannot load it",
    'no action: the hub assigns the task to another worker',
  ],
  worker_busy: ['the worker cannot accept more tasks', 'no action: the hub assigns the task again'],
  worker_draining: ['the worker is draining or about to stop', 'no action: the hub assigns the task again'],
  worker_disk_full: [
    'less free space than worker.minFreeDiskBytes; in run exit code 7',
    'free some space on the worker',
  ],
  worker_model_away: ["the worker's model server is down", 'no action: the hub assigns the task again'],
};

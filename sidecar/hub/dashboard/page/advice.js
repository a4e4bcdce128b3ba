/*
 * What the codes of failed tasks mean and what to do: made by npm run docs from docs/ERRORS.md.
 */

/** `[what it means, what to do]` */
export const advice = {
  storage_locked: [
    'another worker uses the state folder',
    'stop that worker, or choose another folder with worker.stateDir',
  ],
  storage_read_only: [
    'the state folder cannot be created or written',
    'check its permissions, or choose another folder',
  ],
  temporary_folder: [
    'the temporary folder cannot be written',
    'free disk space there, change its permissions, or set TMPDIR',
  ],
  storage_disk_full: ['the disk is full', 'free disk space and start again'],
  storage_corrupt: ['a database is damaged and was set aside', 'start again with an empty database'],
  storage_other_schema: [
    'a newer version of ollama-sidecar or another program wrote the database',
    'update ollama-sidecar, or move the file away to start with an empty database',
  ],
  storage_busy: ['another process has locked the database', 'find the process (lsof) and end it'],
  storage_failed: ['the disk or the database failed', 'see the error code in the message'],
  session_not_written: ['the session folder cannot be written; the task continues', 'check the data folder'],
  plan_not_written: ['the plan document cannot be written; the task continues', 'check the data folder'],
  model_away: [
    'the model server failed while the call waited for a slot',
    'start the server, or raise limits.holdTimeoutMs to wait longer',
  ],
  model_unreachable: [
    'no Ollama server answers at the address',
    'start Ollama (ollama serve), or set ollama.url (OLLAMA_HOST)',
  ],
  model_not_found: [
    'the model is not installed',
    'download it with models pull NAME, or set ollama.autoPull',
  ],
  model_cannot_chat: ['the model can only embed texts', 'choose another model'],
  model_timeout: [
    'the model server did not answer in time',
    'use a smaller model, or raise the limit that the message names',
  ],
  model_busy: [
    'the model server is overloaded (503, 429), even after Retry-After',
    'run fewer tasks at once, or raise OLLAMA_NUM_PARALLEL',
  ],
  model_server_error: [
    'the model server failed or closed the connection, even after retries',
    'check its log; often it has too little memory',
  ],
  model_out_of_memory: [
    'the server has too little memory for the model, even with half the context window and after three attempts',
    'use a smaller model, or a smaller context window (ollama.maxContextTokens)',
  ],
  model_load_failed: [
    'the server could not load the model in time',
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
    "the prompt is longer than the model's context window",
    'raise ollama.maxContextTokens, or make the task smaller',
  ],
  model_malformed_call: [
    'the server cannot parse a tool call of its model',
    'no action: the worker retries once, then requests structured answers',
  ],
  model_garbage: ['the server does not answer like Ollama', 'check the address, and proxies in between'],
  model_incomplete: ['the answer ended before it was complete, even after retries', "check the server's log"],
  model_reply_too_large: ["the model's answer is too large", 'set num_predict in models.json'],
  tools_unsupported: [
    'the model cannot call tools natively',
    'no action: the worker switches to structured answers',
  ],
  thinking_unsupported: ['the model cannot think', 'no action: the worker repeats the call without thinking'],
  context_exhausted: [
    'the conversation does not fit into the context window, even when shortened',
    'use a larger window, or make the task smaller',
  ],
  aborted: ['a cancellation, a shutdown or a time limit stopped the task', 'no action'],
  workspace_repo_missing: [
    'there is no git repository at the path',
    'use another path, or create a repository: git init && git add -A && git commit; to work without one, use ollama-sidecar run --no-repo',
  ],
  workspace_repo_unsupported: [
    'addresses of this kind are not supported',
    'use a local path, https:// or ssh',
  ],
  workspace_repo_not_allowed: [
    'the operator does not allow this repository',
    'add it to workspace.allowedRepos',
  ],
  workspace_repo_owner: [
    'the repository belongs to another user, so git does not read it',
    'use a clone of your own, or run the git config command in the message',
  ],
  workspace_repo_incomplete: [
    'the repository is a partial clone that lacks files of the commit',
    'check out that commit in the clone, or use the remote',
  ],
  workspace_branch_missing: ['the branch does not exist', 'check --branch'],
  workspace_ref_missing: [
    'the commit does not exist, or the repository has no commits',
    'push the commit, or create a first commit',
  ],
  workspace_fetch_failed: [
    'the repository cannot be fetched',
    "check the network and the credentials of the worker's user",
  ],
  checked_out: [
    'the branch is checked out in the repository, so it was not published',
    'switch the repository to another branch',
  ],
  branch_in_the_way: [
    'the branch sidecar prevents branches below sidecar/, so the result was not published',
    'rename that branch',
  ],
  draft_not_written: [
    'a draft could not be applied to the worktree',
    'check the path and the reason in the message',
  ],
  workspace_patch_failed: [
    'the patch of a follow-up does not apply',
    'submit the task again, on a branch that contains the partial result',
  ],
  workspace_prepare_failed: ['a command of workspace.prepare failed', 'run it by hand in a fresh clone'],
  workspace_no_work_tree: [
    'the repository is bare: nothing to merge into',
    'name a clone with into, or use the patch',
  ],
  workspace_dirty: [
    'the repository has uncommitted edits',
    'commit them, or use --allow-dirty (allow_dirty)',
  ],
  workspace_merge_failed: ['git cannot merge the changes', 'merge by hand, or use the patch'],
  workspace_publish_failed: ['the branch could not be published', 'check the credentials, or use the patch'],
  workspace_disk_full: ['the disk has less free space than worker.minFreeDiskBytes', 'free disk space'],
  workspace_lock_timeout: ["another worker locked the repository's cache for too long", 'try again'],
  workspace_folder_missing: ['the folder does not exist', 'check the path'],
  workspace_io_failed: ['the file system failed', 'see the system error in the message'],
  git_missing: ['git is not installed', 'install it'],
  git_failed: ['a git command failed', "see git's error in the message"],
  git_timeout: ['a git command took too long', 'check the network, and the size of the repository'],
  git_output_too_large: ['the change is too large', 'split the task'],
  invalid_task: ['the assignment is invalid', 'correct the field that the message names'],
  unsupported_target_type: ['the task is for another kind of worker', 'route it to a worker of that kind'],
  task_tools_invalid: [
    'the task names a tool or an MCP server that the worker does not have',
    'use one from the list in the message',
  ],
  task_budget_exhausted: [
    'the task exhausted its budget without a result',
    'set a larger budget (--budget-tokens, or budget in the submission)',
  ],
  worker_model_unfit: [
    "the worker does not have the task's model, or cannot load it",
    'no action: the hub assigns the task to another worker',
  ],
  worker_busy: ['the worker cannot accept more tasks', 'no action: the hub assigns the task again'],
  worker_draining: ['the worker is draining or about to stop', 'no action: the hub assigns the task again'],
  worker_disk_full: [
    'the worker has less free disk space than worker.minFreeDiskBytes; run exits with 7',
    'free disk space on the worker',
  ],
  worker_model_away: ["the worker's model server is down", 'no action: the hub assigns the task again'],
};

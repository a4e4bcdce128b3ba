/*
 * What the codes of failed tasks mean and what to do: made by npm run docs from docs/ERRORS.md.
 */

/** `[what it means, what to do]` */
export const advice = {
  storage_locked: ['another worker has the folder', 'stop it, or name another folder with worker.stateDir'],
  storage_read_only: ['the folder cannot be made or written', 'check permissions, or name another folder'],
  temporary_folder: [
    'the temporary folder cannot be written',
    'free space or give permission there, or set TMPDIR',
  ],
  storage_disk_full: ['the disk is full', 'free some space and start again'],
  storage_corrupt: ['a database is damaged and was set aside', 'start again with an empty one'],
  storage_other_schema: [
    'another version of this program wrote it',
    'use that version, or move this one away to begin with an empty one',
  ],
  storage_busy: ['another process keeps the database locked', 'find out which (lsof)'],
  storage_failed: ['the disk failed in another way', "the message has the system's own code"],
  session_not_written: ["the session's folder cannot be written", 'the task goes on; check the data folder'],
  plan_not_written: ["the plan's document cannot be written", 'the task goes on; check the data folder'],
  model_away: [
    'the server went away before the call had a slot',
    'see model_unreachable; limits.holdTimeoutMs',
  ],
  model_unreachable: ['no Ollama at the address', 'start it (ollama serve), or set ollama.url (OLLAMA_HOST)'],
  model_not_found: [
    'the model is not installed',
    'download it with models pull NAME, or set ollama.autoPull',
  ],
  model_cannot_chat: ['the model embeds texts and cannot answer', 'name another one'],
  model_timeout: ['no answer in time', 'a smaller model, or raise the limit that the message names'],
  model_busy: [
    'the server refuses for now (503, 429); was tried again, after Retry-After',
    'fewer tasks at once, or a higher OLLAMA_NUM_PARALLEL',
  ],
  model_server_error: [
    'the server failed or broke off; was tried again',
    'look into its log; often too little memory',
  ],
  model_out_of_memory: [
    'too little memory for the model, even with half of the window and after three tries',
    'use the smaller model or window that the message names',
  ],
  model_load_failed: [
    'the server could not load the model, or not in time',
    'look into its log; ollama.loadTimeoutMs',
  ],
  model_repeats_token: [
    'the model writes one token again and again',
    'restart the server, pull the model again',
  ],
  model_request_refused: [
    'the server refused the request (4xx)',
    "see its reason in the message; mostly the model's name or an option",
  ],
  model_context_exceeded: [
    "the prompt is longer than the model's window",
    'a larger ollama.maxContextTokens, or a smaller task',
  ],
  model_malformed_call: [
    'the server is well and fails at a call with tools, whose text it cannot read',
    'the worker asks once more, then for structured answers',
  ],
  model_garbage: ["the answer is not Ollama's", 'is the server one? is a proxy in between?'],
  model_incomplete: ['the stream ended in the middle; was tried again', "look into the server's log"],
  model_reply_too_large: ['the answer is larger than any should be', 'set num_predict in models.json'],
  tools_unsupported: [
    'the model cannot call tools natively',
    'the worker changes to structured answers by itself',
  ],
  thinking_unsupported: ['the model cannot think', 'the worker asks again without it'],
  context_exhausted: [
    'nothing more can be left out of the conversation',
    'a larger window, or a smaller task',
  ],
  aborted: ['stopped by a cancellation, a shutdown or a time limit', 'nothing'],
  workspace_repo_missing: [
    'no git repository there',
    'name another path, or make it one: git init && git add -A && git commit; run takes --no-repo for an empty folder',
  ],
  workspace_repo_unsupported: [
    'the address is of a kind that is not allowed',
    'a local path, https:// or ssh',
  ],
  workspace_repo_not_allowed: ['the operator does not allow this repository', 'workspace.allowedRepos'],
  workspace_repo_owner: [
    'a repository of another user, which git does not read',
    'name a clone of your own, or run the git config --global --add safe.directory of the message',
  ],
  workspace_repo_incomplete: [
    'a partial clone that lacks files of the commit',
    'check that commit out there once, or name its remote',
  ],
  workspace_branch_missing: ['no such branch', 'check --branch'],
  workspace_ref_missing: ['no such commit, or a repository without any', 'push it, or commit once'],
  workspace_fetch_failed: [
    'the repository cannot be fetched',
    "network and credentials of the worker's user",
  ],
  checked_out: [
    'the branch is checked out in the repository, so it was not published',
    'check out another one there',
  ],
  branch_in_the_way: [
    'a branch sidecar leaves no room for branches below sidecar/, so the work was not published',
    'rename that branch',
  ],
  no_check_tree: [
    'the environment has one tree only, so no checks on a base and no drafts',
    'the loop works without',
  ],
  draft_not_written: ['a draft could not be applied to the worktree', 'the message names the path and why'],
  workspace_patch_failed: [
    'the patch that a follow-up carries does not apply',
    'submit the task anew, on a branch that has the work',
  ],
  workspace_prepare_failed: ['a command of workspace.prepare failed', 'run it by hand in a fresh clone'],
  workspace_no_work_tree: [
    'there are no checked-out files to merge into',
    'name a clone with into, or take the patch',
  ],
  workspace_dirty: [
    'the repository has edits that are not committed',
    'commit them, or --allow-dirty (allow_dirty)',
  ],
  workspace_merge_failed: ['git cannot merge the work', 'merge by hand, or take the patch'],
  workspace_publish_failed: ['the branch could not be published', 'credentials, or take the patch'],
  workspace_disk_full: ['less free space than worker.minFreeDiskBytes', 'free some space'],
  workspace_lock_timeout: ["another worker used the repository's cache too long", 'try again'],
  workspace_folder_missing: ['the folder that was named is not there', 'check the path'],
  workspace_io_failed: ['the file system failed', "the message has the system's own words"],
  git_missing: ['git is not installed', 'install it'],
  git_failed: ['git refused', 'the message has its words'],
  git_timeout: ['git took too long', 'network, or a very large repository'],
  git_output_too_large: ['git wrote more than is read', 'a very large change; split the task'],
  invalid_task: ['the assignment cannot be read', 'the message names the field'],
  unsupported_target_type: ['the task is for another kind of worker', 'route it elsewhere'],
  task_tools_invalid: [
    'the task names a tool or a server that this worker does not have',
    'the message lists those it has',
  ],
  task_budget_exhausted: [
    'the task used up its own budget and did nothing',
    'a larger one (--max-tokens, --max-usd)',
  ],
  worker_model_unfit: [
    "the worker does not have the task's model, or cannot load it",
    'the hub gives it to another worker',
  ],
  worker_busy: ['the worker runs and queues as many as it may', 'the hub gives it out again'],
  worker_draining: [
    'the worker takes no new tasks: it is drained, or about to end',
    'the hub gives it out again',
  ],
  worker_disk_full: [
    'less free space than worker.minFreeDiskBytes; in run exit code 7',
    'free some space on the worker',
  ],
  worker_model_away: ["the worker's model server is down", 'the hub gives it out again'],
};

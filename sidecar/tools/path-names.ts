/** Argument aliases that several tools share: the path of a file, and of a folder to search. */
export const FILE_PATH_NAMES: readonly string[] =
  'path filename file filepath file_name target_file absolute_path relative_path'.split(' ');

export const FOLDER_NAMES: readonly string[] =
  'dir directory dir_path folder directory_path search_path file_path root target_directory'.split(' ');

/** Aliases of a search pattern, for text or file names. */
export const PATTERN_PARAMETER_ALIASES: readonly string[] =
  'regex regexp query search glob_pattern glob search_pattern pattern_glob'.split(' ');

/** The names by which models know the path of a file, and that of a folder to look in: the same for several tools. */
export const FILE_PATH_NAMES: readonly string[] =
  'path filename file filepath file_name target_file absolute_path relative_path'.split(' ');

export const FOLDER_NAMES: readonly string[] =
  'dir directory dir_path folder directory_path search_path file_path root target_directory'.split(' ');

/** The pattern of a search, in texts or in names. */
export const PATTERN_NAMES: readonly string[] =
  'regex regexp query search glob_pattern glob search_pattern pattern_glob'.split(' ');

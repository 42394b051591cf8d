import type { Word } from './words';

/** A variable which may be empty: not `$HOME`, nor `${X:?}`, which fails then, where a name in that folder follows. */
const MAYBE_EMPTY =
  '\\$(?!\\{?(?:HOME|PWD|OLDPWD)\\b|\\{\\w+:\\?[^}]*\\}["\']*/["\']*[\\w@-](?!\\S*/\\.\\.))';
/** A word that begins with such a variable, or with the root of the disk or home and then one, in quotes or braces or not. */
export const UNKNOWN_START = new RegExp(
  `\\s(?:~/)?["'/]*(?:\\{(?:[^{}\\s]*,)?["'/]*)?${MAYBE_EMPTY}[\\w{@*]`,
);
/** A path from the root of the disk with such a variable right behind it. */
export const FIXED_FOLDER = new RegExp(`\\s["']*(/[\\w./"'-]*)${MAYBE_EMPTY}[\\w{@*]`, 'g');
/** A word that begins with such a variable and is at the root of the disk when that is empty. */
export const UNKNOWN_FOLDER = new RegExp(
  `\\s(?:["']*/["'/]*${MAYBE_EMPTY}|["']*${MAYBE_EMPTY}(?:\\w+|\\{[^}]*\\})(?:\\$\\w+|\\$\\{[^}]*\\})*["']*/)`,
);

/** A path that goes up behind such a variable. */
export const UNKNOWN_CLIMB = new RegExp(`${MAYBE_EMPTY}[\\w{]\\S*/\\.\\.(?![\\w.])`);
/** A call of another language that removes a folder with all in it. */
const TREE_CALL =
  '\\b(?:rmtree|remove_tree|rm_rf?|rm(?:dir)?Sync|rm\\(|rimraf|removeSync|RemoveAll|remove_dir_all|Remove-Item)';
/** Such a call that is given what begins with a variable of unknown value or one of the environment. */
export const REMOVES_TREE = new RegExp(
  `${TREE_CALL}(?:[^;\\n]*?[\\s("'\`]/*${MAYBE_EMPTY}[\\w{]|[\\s(]*(?:[\\w.]+\\()?(?:f?["'\`][\${]*)?\\$?(?:os\\.)?(?:environ|getenv|process\\.env|ENV)\\b)`,
);
/** A text that is a path from the root of the disk, home or the current folder, and calls that make a path of one. */
const PATH_TEXT = '[fFrRbBuU]{0,2}["\'`]([~/.][^"\'`\\n]*)["\'`]';
const OF_PATH = '(?:[\\w.:]*(?:[pP]ath|user|resolve|join|normalize|str|[cC]lean|URL)\\(\\s*)+';
const HERE = '(?:(?:__dirname|process\\.cwd\\(\\)|os\\.getcwd\\(\\))\\s*,\\s*)?';
/** Such a call whose first argument is a text, as the path of the folder, or a path made of one. */
export const REMOVED_PATH = new RegExp(
  `${TREE_CALL}(?:\\.\\w+)?[\\s()[]*(?:path\\s*=\\s*)?(?:${PATH_TEXT}\\s*(?:[\\]),;\\n]|$)|${OF_PATH}${HERE}${PATH_TEXT}\\s*\\)+(?:\\.\\w+\\(\\))*\\s*[),])`,
  'g',
);

/** Tells whether a word, or the value of an option, names a folder at the root of the disk when a variable in it is empty. */
export const isAtRootWhenEmpty = ({ value, glob, source }: Word): boolean =>
  value === null && glob === null && UNKNOWN_FOLDER.test(` ${source.replace(/^--?[\w-]*=?/, '')}`);

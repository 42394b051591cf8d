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
/** Such a call that is given a text, as the path of the folder. */
export const REMOVED_PATH = new RegExp(
  `${TREE_CALL}(?:(?!join)[^;\\n"'\`])*["'\`]([~/.][^"'\`\\n]*)["'\`]\\s*[),]`,
  'g',
);

/** Tells whether a word, or the value of an option, names a folder at the root of the disk when a variable in it is empty. */
export const isAtRootWhenEmpty = ({ value, glob, source }: Word): boolean =>
  value === null && glob === null && UNKNOWN_FOLDER.test(` ${source.replace(/^--?[\w-]*=?/, '')}`);

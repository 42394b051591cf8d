import type { Decision, PermissionMode, PermissionRule } from '../../../shared/permission';

/**
 * The reason why a command of the list was not written there by itself.
 * `wrapper` only starts another command of the list (`timeout 5 …`): deny and ask rules see it, but it needs no permission.
 * `launcher` starts others, or destroys, in a way that no prefix rule may cover (`find -exec`, `watch`): exact rules only.
 * `inner` is started by a command of the list that is judged itself (`sudo …`): only deny, ask and hard checks see it.
 */
export type ShellRole = 'wrapper' | 'launcher' | 'inner';

/**
 * Something a command may do that its words do not show: run other commands, read other files, or those of the project only
 * (`prints`), or (git) print files that are committed.
 */
export interface Hiding {
  readonly what: 'runs' | 'reads' | 'prints' | 'printsTracked';
  /** In words for the user. */
  readonly why: string;
  /** Only with files whose names fit one of these patterns. */
  readonly names?: readonly string[];
  /** Only with files below these folders. */
  readonly below?: readonly string[];
  /** Only where the folder it runs in, or home, has a name that a shell cuts at blanks or takes for a pattern. */
  readonly ifCut?: true;
  /** Set where it shows committed files: a rule for the program does not mean those that a denial covers. */
  readonly ofCommits?: true;
  /** The words that may limit those to some files. Absent: they are all. */
  readonly limits?: Limits;
  /** The folder that git is told to go to, and in which the limits begin; null where it is told of a repository. */
  readonly folder?: string | null;
  /** The line may have made tracked files of others before, in these places; the empty one is the whole repository. */
  readonly withAdded?: readonly string[];
  /** The line may have changed before what is shown: a rule for the program does not mean files that nobody knows. */
  readonly isChanged?: true;
  /** The files of any commit, unless each of these words names files that are tracked, and no branch. */
  readonly unlessTracked?: readonly string[];
  /** They get to another folder, whatever the folder is that the command runs in. */
  readonly copies?: true;
  /** The program is an extension of the command: a rule for the command as a whole does not name it. */
  readonly isExtension?: true;
  /** The shell itself does it, with a text that stands in a name or an option: a rule for the builtin does not mean that text. */
  readonly byShell?: true;
}

/** Words by which git may be told which files to show: paths from the folder it runs in, and patterns of them. */
export interface Limits {
  readonly words: readonly string[];
  /** All are. Absent: those before the first path name revisions, and maybe all do. */
  readonly arePaths?: true;
  /** Without such a revision only what is tracked now is shown. */
  readonly isCurrent?: true;
}

/** The files a git repository tracks now, by their paths from its folder. */
export interface TrackedFiles {
  readonly root: string;
  readonly names: readonly string[];
  /** The files that are not tracked and that `git add` would take up, where the line does that. Absent: it is not known which. */
  readonly added?: readonly string[];
  /** The line changes its folder, so that git may work on another repository. */
  readonly isMoved?: true;
  /** The same of other repositories, by the folders that the line has git go to; null where it cannot be told. */
  readonly others?: Readonly<Record<string, TrackedFiles | null>>;
  /** The words of the line that look like files and name branches, tags or what the line itself makes. */
  readonly revisions?: readonly string[];
}

/** A path from the folder that a command runs in, though its text is only known at run time. */
export interface Located {
  readonly path: string;
  /** Not in quotes: a shell cuts it where the folder has blanks in its name. */
  readonly isBare: boolean;
}

/** One simple command inside a shell line, wrappers and assignments stripped. */
export interface ShellCommand {
  /**
   * The words, quotes resolved. A word that is only known at run time (expansion, glob) is null.
   * Without words: only assignments or redirections.
   */
  readonly words: readonly (string | null)[];
  /** For words that are null because of a file glob: the pattern (quoted glob characters escaped by `\\`), by index. */
  readonly globs?: Readonly<Record<number, string>>;
  /** For words that are null because they stand for files that are found: the patterns their names fit, by index. */
  readonly found?: Readonly<Record<number, readonly string[]>>;
  /** The folders that those files are below. Absent: they are not known. */
  readonly foundBelow?: readonly string[];
  /** The commands of pipes that print what a word, known only at run time, stands for. */
  readonly listedBy?: readonly (readonly ShellCommand[])[];
  /** For words that are null although they name one place, such as `"$PWD/x"`: that place, by index. */
  readonly located?: Readonly<Record<number, Located>>;
  readonly role?: ShellRole;
  /** The number of words, from the first, among which a program may be named that is no command of the list. Absent: all. */
  readonly ownWords?: number;
  /** The reason why no rule can vouch for this command: it may set or run more than it says. */
  readonly doubt?: string;
  /** Tells that the doubt is only about the variables from before the line. */
  readonly inherits?: true;
  /** Acts that its words do not show: no rule can be held against them. */
  readonly hides?: readonly Hiding[];
  /**
   * The directories it may run in, as earlier `cd`s of the line leave them: '' is where the line starts, others are
   * absolute or relative to it; null is unknown. Absent: [''].
   */
  readonly directories?: readonly (string | null)[];
  /** Such a folder begins with a variable, and is at the root of the disk when that is empty. */
  readonly mayBeAtRoot?: true;
  /** The source text of this command without wrappers and leading assignments, for rule matching. */
  readonly text: string;
  /** Its place in the whole line, UTF-16 units [start, end). */
  readonly start: number;
  readonly end: number;
  /** Files written by redirections. Null: known at run time only. */
  readonly writes: readonly (string | null)[];
  /** Files read by redirections. */
  readonly reads: readonly (string | null)[];
  /** Environment assignments in front of it. */
  readonly assignments: readonly string[];
  /** Its standard input is a file or a text of the line, and not what a pipe brings. */
  readonly hasInput?: boolean;
  /** The text that it reads as its input, where the line spells that out. */
  readonly input?: string;
  /** The same where parts of the text are only known at run time: they stand in it as they are written. */
  readonly openInput?: string;
  /** For `xargs` and what it starts: the commands of the pipe before it, whose output it is given as words. */
  readonly pipedFrom?: readonly ShellCommand[];
}

/** A command without words, files and assignments, to fill in. */
export const NO_COMMAND: ShellCommand = {
  words: [],
  text: '',
  start: 0,
  end: 0,
  writes: [],
  reads: [],
  assignments: [],
};

/** A shell line, taken apart by a real parser. */
export type ShellAnalysis =
  | {
      readonly ok: true;
      readonly commands: readonly ShellCommand[];
      readonly changesDirectory: boolean;
    }
  /** Could not be understood: always asked. */
  | { readonly ok: false; readonly reason: string; readonly commands: readonly ShellCommand[] };

/**
 * A scan of everything below a folder, needed before a command may go through it or be given the
 * names in it.
 */
export interface FolderScan {
  /** Links to folders are followed. */
  readonly follows: boolean;
  /** Links count: what they lead to is read. */
  readonly links: boolean;
  /** Names are passed on as words: one with a blank or a quote, or like an option, would be read as something else. */
  readonly plain: boolean;
  /** Only files whose names fit one of these patterns count. Absent: all. */
  readonly names?: readonly string[];
}

/** Returns the key of a scan among the real paths of a line. */
export const scanKey = (folder: string, { follows, links, plain, names }: FolderScan): string => {
  const marks = [follows ? 'followed' : '', links ? 'links' : '', plain ? 'names' : ''];
  const fitting = names === undefined ? '' : `{${names.join(',')}}`;
  return `${folder}/**${fitting} (${marks.filter((mark) => mark !== '').join(', ')})`;
};

/** One place a command may reach. */
export interface Touch {
  /** Absolute, by its text alone; a pattern when `glob`. */
  readonly path: string;
  /** The same with every `..` kept, when there is one: the system goes up from where a link leads. */
  readonly route?: string;
  readonly glob: boolean;
  readonly access: 'read' | 'edit';
  /** False for words of commands we do not know: they may be paths, so denials look at them. */
  readonly certain: boolean;
  readonly removes: boolean;
  /** Only a part of a word that may name a file. */
  readonly guessed?: boolean;
  /** Reached by the program as a whole: a rule that names it allows that. */
  readonly vouchable?: boolean;
  /** Named by a redirection and not by a word. */
  readonly redirection: boolean;
  /** The contents of everything below it are reached too. */
  readonly deep: boolean;
  /** Only files below it whose last names fit one of these patterns. Absent: all. */
  readonly names?: readonly string[];
  /** It has to be the folder where the line starts. */
  readonly stays?: boolean;
  /** The scan needed of what is below it. Such a touch stands beside one for the path itself. */
  readonly below?: FolderScan;
}

/** Everything a command may reach, and why some of it cannot be told. */
export interface Touches {
  readonly touches: readonly Touch[];
  readonly unknown: string | null;
  /** The access to paths that are only known at run time. */
  readonly runtime: ReadonlySet<Touch['access']>;
  /** The patterns that the last names of all those paths fit. Absent: any. */
  readonly runtimeNames?: readonly string[] | undefined;
  /** Set when the command is known to do nothing else; null for a program that may do anything. */
  readonly use: 'reads' | 'writes' | null;
}

/**
 * A request for permission, with every fact already looked up, so that {@link decide} can be pure.
 * `path` is absolute as asked for; `realPath` is where it leads.
 */
export type PermissionRequest =
  | {
      readonly kind: 'shell';
      readonly tool: string;
      readonly command: string;
      readonly cwd: string;
      readonly analysis: ShellAnalysis;
      /** The reach of each command of the analysis, in its order. */
      readonly touches: readonly Touches[];
      /**
       * The real paths of the paths named in the line: by absolute path as asked for, all it may
       * mean (a file glob means many). A path that is not in it was not looked up and is not
       * trusted.
       */
      readonly realPaths: Readonly<Record<string, readonly string[]>>;
      /** The files that git tracks, where a command of the line may print any of them. Absent: not known. */
      readonly tracked?: TrackedFiles;
      /** `vouches`: it runs in the sandbox, which makes a question needless. `left`: it is to run outside of it. */
      readonly sandbox?: 'vouches' | 'left';
      /** It runs in the sandbox. */
      readonly inside?: true;
      /** In a folder nobody trusts: why git there might run what the repository names. */
      readonly gitRuns?: string;
      readonly params?: Readonly<Record<string, string>>;
    }
  | {
      readonly kind: 'file';
      readonly tool: string;
      readonly access: 'read' | 'edit';
      readonly path: string;
      readonly realPath: string;
      /** Device and inode of what was there when it was looked up; null for nothing. What is opened must be that. */
      readonly identity: string | null;
      /** Further names of the same file (hard links) near where the call plays, as far as they were found. */
      readonly otherNames?: readonly string[];
      /** The reason why it is not known where the path leads. Then it is always asked. */
      readonly unknown?: string;
      readonly params?: Readonly<Record<string, string>>;
    }
  | {
      readonly kind: 'tool';
      readonly tool: string;
      readonly specifier?: string;
      /** Changes nothing on this machine. */
      readonly readOnly: boolean;
      /** It reaches outside: even when it only reads, nobody but a rule or the user allows that. */
      readonly sends?: true;
      /**
       * The reason why a rule for many things may not allow it: only one that names exactly this
       * may.
       */
      readonly exactOnly?: string;
      /** The contents of the tool, where somebody else may change them: an answer counts for just these. */
      readonly content?: string;
      /** Input fields as text, for deny and ask rules of the form `Tool(param:value)`. */
      readonly params?: Readonly<Record<string, string>>;
    };

/** The surroundings of a decision. All paths absolute; `workingDirectories` as asked for and real. */
export interface DecisionContext {
  readonly cwd: string;
  readonly home: string;
  /** Root of the settings that project rules are relative to. */
  readonly project: string;
  readonly workingDirectories: readonly string[];
  /** Lathe's own folders of this session (saved results, task output): may be read, never changed unasked. */
  readonly ownFolders?: readonly string[];
  /** The folders of notes about the project: may be read. */
  readonly noteFolders?: readonly string[];
  /** The folder right in which the model may write such notes unasked, Markdown only. */
  readonly ownNotes?: string | undefined;
  /** The model's own folder of this session: may be changed unasked too. */
  readonly scratchFolders?: readonly string[];
  readonly caseInsensitive: boolean;
}

/** The one decision function. Pure and total. */
export type Decide = (
  request: PermissionRequest,
  rules: readonly PermissionRule[],
  mode: PermissionMode,
  context: DecisionContext,
) => Decision;

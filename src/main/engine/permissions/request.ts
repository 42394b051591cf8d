import type { Decision, PermissionMode, PermissionRule } from '../../../shared/permission';

/** One simple command inside a shell line, wrappers and assignments stripped. */
export interface ShellCommand {
  /** The words, quotes resolved. A word that is only known at run time (expansion, glob) is null. */
  readonly words: readonly (string | null)[];
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
}

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
 * What a call needs, with every fact already looked up, so that {@link decide} can be pure.
 * `path` is absolute as asked for; `realPath` is where it leads.
 */
export type PermissionRequest =
  | {
      readonly kind: 'shell';
      readonly tool: string;
      readonly command: string;
      readonly cwd: string;
      readonly analysis: ShellAnalysis;
    }
  | {
      readonly kind: 'file';
      readonly tool: string;
      readonly access: 'read' | 'edit';
      readonly path: string;
      readonly realPath: string;
    }
  | {
      readonly kind: 'tool';
      readonly tool: string;
      readonly specifier?: string;
      readonly readOnly: boolean;
    };

/** The surroundings of a decision. All paths absolute; `workingDirectories` as asked for and real. */
export interface DecisionContext {
  readonly cwd: string;
  readonly home: string;
  /** Root of the settings that project rules are relative to. */
  readonly project: string;
  readonly workingDirectories: readonly string[];
  readonly caseInsensitive: boolean;
}

/** The one decision function. Pure and total. */
export type Decide = (
  request: PermissionRequest,
  rules: readonly PermissionRule[],
  mode: PermissionMode,
  context: DecisionContext,
) => Decision;

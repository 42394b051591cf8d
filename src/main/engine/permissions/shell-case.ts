import type { PermissionMode } from '../../../shared/permission';
import type { DecisionContext, PermissionRequest } from './request';
import type { ParsedRule } from './rules';
import { lookupKey, type Touch, type Touches } from './shell-paths';

/** What the steps of a decision on a shell line share. */
export interface ShellCase {
  readonly request: Extract<PermissionRequest, { kind: 'shell' }>;
  readonly rules: readonly ParsedRule[];
  readonly mode: PermissionMode;
  /** `cwd` is where the line starts. */
  readonly context: DecisionContext;
  /** What each command may reach, in the order of the commands. */
  readonly touches: readonly Touches[];
}

/** Where a touched path really leads; null when it was not looked up. */
export function realPathsOf(shell: ShellCase, touch: Touch): readonly string[] | null {
  const { realPaths } = shell.request;
  const key = lookupKey(touch);
  return Object.hasOwn(realPaths, key) ? (realPaths[key] ?? null) : null;
}

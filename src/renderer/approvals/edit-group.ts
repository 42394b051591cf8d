import type { Keymap } from '../../shared/keymap';
import type { Approval, ApprovalSubject, RuleSuggestion } from '../../shared/permission';
import type { Press } from '../../shared/shortcut';
import { plural, tildePath } from '../ui/format';
import { type Why, whyItAsks } from './WhyLine';

/** A question about one file that would be changed or created. */
export type EditApproval = Approval & {
  readonly subject: Extract<ApprovalSubject, { kind: 'edit' }>;
};

/** Most files in one dialog; more come in the next one. */
const MAX_TOGETHER = 10;

export const isEdit = (approval: Approval): approval is EditApproval =>
  approval.subject.kind === 'edit';

/**
 * Groups questions into dialogs, in their order: edits of one response that stand next to each other are one dialog,
 * everything else is asked alone. Two changes of one file are never shown together, because the second builds on the first.
 */
export function groupQuestions(approvals: readonly Approval[]): readonly (readonly Approval[])[] {
  const groups: Approval[][] = [];
  for (const approval of approvals) {
    const last = groups.at(-1);
    if (last !== undefined && joins(last, approval)) last.push(approval);
    else groups.push([approval]);
  }
  return groups;
}

function joins(group: readonly Approval[], next: Approval): boolean {
  const [first] = group;
  return (
    first !== undefined &&
    isEdit(next) &&
    group.length < MAX_TOGETHER &&
    next.response !== undefined &&
    next.response === first.response &&
    next.agent === first.agent &&
    group.every((other) => isEdit(other) && !sameFile(other, next))
  );
}

const sameFile = ({ subject: a }: EditApproval, { subject: b }: EditApproval): boolean =>
  a.path === b.path || a.realPath === b.realPath;

/** Returns the heading of a dialog about files. */
export function titleOfEdits(edits: readonly EditApproval[]): string {
  const [only, ...others] = edits;
  if (only !== undefined && others.length === 0) return only.title;
  const verb = edits.every(({ subject }) => subject.created) ? 'Create' : 'Edit';
  return `${verb} ${plural(edits.length, 'file')}`;
}

/** Names a question in a list of several: what it is about, in one line. */
export function questionName(group: readonly Approval[], home: string): string {
  const [first] = group;
  if (first === undefined) return '';
  if (group.length > 1) return titleOfEdits(group.filter(isEdit));
  const about = subjectName(first.subject, home);
  return about === '' ? first.title : `${first.title}: ${about}`;
}

function subjectName(subject: ApprovalSubject, home: string): string {
  switch (subject.kind) {
    case 'command':
      return subject.command.trim().split('\n', 1)[0] ?? '';
    case 'edit':
    case 'read':
      return tildePath(subject.path, home);
    case 'fetch':
      return subject.url;
    case 'connect':
      return subject.host;
    case 'tool':
      return subject.name;
    case 'question':
      return subject.questions[0]?.header ?? '';
    case 'plan':
    case 'form':
    case 'visit':
      return '';
  }
}

/** Returns the rules that would have allowed every one of these. */
export function sharedSuggestions(approvals: readonly Approval[]): readonly RuleSuggestion[] {
  const [first, ...others] = approvals;
  const offered = first?.decision.suggestions ?? [];
  return offered.filter(({ rule, destination }) =>
    others.every(({ decision }) =>
      decision.suggestions.some((s) => s.rule === rule && s.destination === destination),
    ),
  );
}

/** Returns true when all of these ask for the same reason and by the same rule. */
export function sameReason(approvals: readonly Approval[]): boolean {
  const reasons = approvals.map(({ decision }) => whyItAsks(decision));
  return reasons.every((why) => key(why) === key(reasons[0]));
}

const key = (why: Why | undefined): string => JSON.stringify(why);

/** The meaning of a key press in a dialog about several files. */
type FileIntent =
  | { readonly kind: 'select'; readonly at: number }
  /** To the question before or after this one. */
  | { readonly kind: 'leave'; readonly by: 1 | -1 }
  | { readonly kind: 'allowOne' }
  | { readonly kind: 'denyOne' }
  /** Typing that was meant for something else. */
  | { readonly kind: 'stray' }
  | { readonly kind: 'none' };

export interface FileKey extends Press {
  /** The key is held down. */
  readonly repeat: boolean;
  /** The chosen file and how many there are. */
  readonly at: number;
  readonly count: number;
  /** Other questions wait. */
  readonly others: boolean;
  /** Milliseconds the guard still holds. */
  readonly guardLeft: number;
}

const NONE: FileIntent = { kind: 'none' };

/**
 * Decides what a key does to the chosen file. Up and down go on to the other questions at the ends of the list, or round it
 * when there are none. One file is answered by a fresh key after the guard only: Backspace may be left over from typing.
 */
export function fileIntent(keymap: Keymap, k: FileKey): FileIntent {
  const moves = keymap.commandFor(k, 'asking')?.id;
  const step = moves === 'next' ? 1 : moves === 'previous' ? -1 : null;
  if (step !== null) {
    const at = k.at + step;
    if (at >= 0 && at < k.count) return { kind: 'select', at };
    return k.others
      ? { kind: 'leave', by: step }
      : { kind: 'select', at: (at + k.count) % k.count };
  }
  const answer = keymap.commandFor(k, 'files')?.id;
  if (answer !== 'allowOne' && answer !== 'denyOne') return NONE;
  return { kind: k.repeat || k.guardLeft > 0 ? 'stray' : answer };
}

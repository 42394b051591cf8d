import type { DurableEvent } from '../../../shared/agent-event';
import type { ChangeCause, RestorePoint } from '../../../shared/checkpoint';

/** One thing in the order of a session: a user's prompt, or changes of files. */
type Mark =
  | { readonly kind: 'prompt'; readonly id: string }
  | { readonly kind: 'changes'; readonly id: string; readonly cause: ChangeCause };

/** The prompts and changes of a session, oldest first. A fold of its events. */
export interface Timeline {
  fold(event: DurableEvent): void;
  /** Returns the ids of the changes that going back takes back, oldest first; null when there is no such point. */
  changesSince(point: RestorePoint): readonly string[] | null;
  /** Returns the newest change that stands and that a call made; null when there is none. */
  undoable(): RestorePoint | null;
  /** Returns the newest restore that stands, unless it is a redo itself; null when there is none. */
  redoable(): RestorePoint | null;
}

/** Creates the timeline of a session from the events of its log so far. */
export function createTimeline(events: Iterable<DurableEvent>): Timeline {
  const marks: Mark[] = [];

  /** Tells whether a change stands: nothing took it back, or what did was taken back itself. */
  const stands = (id: string, from: number): boolean => {
    for (let at = marks.length - 1; at > from; at -= 1) {
      const mark = marks[at];
      if (mark?.kind !== 'changes' || mark.cause.kind !== 'restore') continue;
      if (mark.cause.took.includes(id)) return !stands(mark.id, at);
    }
    return true;
  };
  const newest = (fits: (cause: ChangeCause) => boolean): Mark | null => {
    for (let at = marks.length - 1; at >= 0; at -= 1) {
      const mark = marks[at];
      if (mark?.kind === 'changes' && fits(mark.cause) && stands(mark.id, at)) return mark;
    }
    return null;
  };
  const fold = (event: DurableEvent) => {
    if (event.type === 'user_message' && event.synthetic !== true) {
      marks.push({ kind: 'prompt', id: event.id });
    }
    if (event.type === 'files_changed') {
      marks.push({ kind: 'changes', id: event.id, cause: event.cause });
    }
  };
  const idsFrom = (at: number): readonly string[] | null =>
    at < 0 ? null : marks.slice(at).flatMap(({ kind, id }) => (kind === 'changes' ? [id] : []));

  for (const event of events) fold(event);
  return {
    fold,
    changesSince: (point) => {
      switch (point.kind) {
        case 'prompt':
          return idsFrom(
            marks.findIndex(({ kind, id }) => kind === 'prompt' && id === point.promptId),
          );
        case 'before':
          return idsFrom(marks.findIndex((mark) => callOf(mark) === point.callId));
        case 'call': {
          const own = marks.filter((mark) => isOfCall(mark, point.callId));
          return own.length === 0 ? null : own.map(({ id }) => id);
        }
        case 'session':
        case 'file':
          return marks.flatMap(({ kind, id }) => (kind === 'changes' ? [id] : []));
        case 'restore': {
          const isIt = (mark: Mark) => mark.kind === 'changes' && mark.id === point.id;
          return marks.some(isIt) ? [point.id] : null;
        }
      }
    },
    undoable: () => {
      const mark = newest(({ kind }) => kind !== 'restore');
      const callId = mark && callOf(mark);
      return callId === null ? null : { kind: 'call', callId };
    },
    redoable: () => {
      const mark = newest((cause) => cause.kind === 'restore' && cause.point.kind !== 'restore');
      return mark === null ? null : { kind: 'restore', id: mark.id };
    },
  };
}

/** Tells whether a call changed files itself, or by the sub-agent that it started. */
const isOfCall = (mark: Mark, callId: string): boolean =>
  mark.kind === 'changes' &&
  mark.cause.kind !== 'restore' &&
  (mark.cause.callId === callId || mark.cause.within?.includes(callId) === true);

const callOf = (mark: Mark): string | null =>
  mark.kind === 'changes' && mark.cause.kind !== 'restore' ? mark.cause.callId : null;

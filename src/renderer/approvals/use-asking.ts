import { type RefObject, useLayoutEffect, useRef, useState } from 'react';
import type { Approval } from '../../shared/permission';
import { type Reading, useLinesBelow } from '../ui/use-lines-below';
import { answersTo, type Given, type Reply } from './reply';
import { type Guard, useGuard } from './use-guard';

/** Carries answers, in their order; gives words for the person when one was not taken. */
export type OnAnswer = (given: readonly Given[]) => unknown;

/** A field in the dialog that is open in place of the answers. */
export type AskingPanel = 'none' | 'always' | 'reason' | 'edit';

/** What is asked on screen: its guard, what of it was in view, and the answer on its way. */
export interface Asking {
  readonly frame: RefObject<HTMLDivElement | null>;
  /** The scrolling box with what is asked. */
  readonly body: RefObject<HTMLDivElement | null>;
  readonly guard: Guard;
  readonly reading: Reading;
  readonly busy: boolean;
  /** Why the last answer was not taken. */
  readonly problem: string | null;
  readonly panel: AskingPanel;
  open(panel: Exclude<AskingPanel, 'none'>): void;
  closePanel(): void;
  scrollBy(pages: number): void;
  /** Whether it may be approved now; else the guard starts anew, and what was not in view yet is shown. */
  ready(seen: boolean): boolean;
  /** Answers all that is shown, or only one of it. */
  answer(reply: Reply, about?: Approval): Promise<void>;
  /** Refuses, with words for the model if there are any. */
  deny(message?: string, about?: Approval): Promise<void>;
}

/** The state of the questions that are shown together; mostly that is one. */
export function useAsking(shown: readonly Approval[], onAnswer: OnAnswer): Asking {
  const frame = useRef<HTMLDivElement>(null);
  const body = useRef<HTMLDivElement>(null);
  const guard = useGuard();
  const reading = useLinesBelow(body);
  const [panel, setPanel] = useState<AskingPanel>('none');
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState<string | null>(null);

  const { restart } = guard;
  const what = shown.map(({ id }) => id).join(' ');
  // What came or went moved everything on screen: a press that was on its way was meant for something else.
  useLayoutEffect(restart, [what]);

  const scrollBy = (pages: number) =>
    body.current?.scrollBy({ top: pages * body.current.clientHeight * 0.85 });
  const answer = async (reply: Reply, about?: Approval) => {
    if (busy) return;
    setBusy(true);
    try {
      const told = await onAnswer(answersTo(about === undefined ? shown : [about], reply));
      setProblem(typeof told === 'string' ? told : null);
    } finally {
      setBusy(false);
    }
  };
  const show = (next: AskingPanel) => {
    setProblem(null);
    setPanel(next);
  };
  return {
    frame,
    body,
    guard,
    reading,
    busy,
    problem,
    panel,
    open: show,
    closePanel: () => {
      show('none');
      frame.current?.focus({ preventScroll: true });
    },
    scrollBy,
    ready: (seen) => {
      const waits = guard.left() > 0;
      if (!waits && seen) return true;
      if (!waits) scrollBy(Number.MAX_SAFE_INTEGER);
      guard.restart();
      return false;
    },
    answer,
    deny: (message = '', about) => {
      const words = message.trim();
      return answer({ behavior: 'deny', ...(words === '' ? {} : { message: words }) }, about);
    },
  };
}

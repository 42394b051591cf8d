import { type RefObject, useRef, useState } from 'react';
import type { ApprovalAnswer } from '../../shared/permission';
import { type Guard, useGuard } from './use-guard';
import { type Reading, useLinesBelow } from './use-lines-below';

/** Carries an answer; gives words for the person when it was not taken. */
export type OnAnswer = (answer: ApprovalAnswer) => unknown;

/** A field in the dialog that is open in place of the answers. */
export type AskingPanel = 'none' | 'always' | 'reason' | 'edit';

/** One question on screen: its guard, what of it was in view, and the answer on its way. */
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
  answer(given: ApprovalAnswer): Promise<void>;
  /** Refuses, with words for the model if there are any. */
  deny(message?: string): Promise<void>;
}

/** The state of one question. */
export function useAsking(onAnswer: OnAnswer): Asking {
  const frame = useRef<HTMLDivElement>(null);
  const body = useRef<HTMLDivElement>(null);
  const guard = useGuard();
  const reading = useLinesBelow(body);
  const [panel, setPanel] = useState<AskingPanel>('none');
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState<string | null>(null);

  const scrollBy = (pages: number) =>
    body.current?.scrollBy({ top: pages * body.current.clientHeight * 0.85 });
  const answer = async (given: ApprovalAnswer) => {
    if (busy) return;
    setBusy(true);
    try {
      const told = await onAnswer(given);
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
    deny: (message = '') => {
      const words = message.trim();
      return answer({ behavior: 'deny', ...(words === '' ? {} : { message: words }) });
    },
  };
}

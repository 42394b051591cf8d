import { type RefObject, useCallback, useEffect, useLayoutEffect, useRef, useState } from 'react';
import type { Approval, ApprovalAnswer } from '../../shared/permission';
import { useKeptText } from '../store/use-lathe';
import { type Reading, useLinesBelow } from '../ui/ScrollArea';
import { GUARD_MS, guardLeft } from './guard';

/** Carries answers, in their order; gives words for the user when one was not taken. */
export type OnAnswer = (given: readonly Given[]) => unknown;

/** The fields in the dialog that may be open in place of the answers. */
const PANELS = ['none', 'always', 'reason', 'edit'] as const;
type AskingPanel = (typeof PANELS)[number];

/** The state of a question on screen: its guard, the part that was in view, and the answer being sent. */
export interface Asking {
  /** Names what is asked about. */
  readonly about: string;
  readonly frame: RefObject<HTMLDivElement | null>;
  /** The scrolling box with what is asked. */
  readonly body: RefObject<HTMLDivElement | null>;
  readonly guard: Guard;
  readonly reading: Reading;
  readonly busy: boolean;
  /** The reason the last answer was refused. */
  readonly problem: string | null;
  readonly panel: AskingPanel;
  open(panel: Exclude<AskingPanel, 'none'>): void;
  closePanel(): void;
  scrollBy(pages: number): void;
  /** Returns true when it may be approved now; otherwise restarts the guard and scrolls to what was not in view. */
  ready(seen: boolean): boolean;
  /** Answers all that is shown, or only one of it. */
  answer(reply: Reply, about?: Approval): Promise<void>;
  /** Refuses, with words for the model if there are any. */
  deny(message?: string, about?: Approval): Promise<void>;
}

/** Returns the state of the questions that are shown together; mostly that is one. */
export function useAsking(shown: readonly Approval[], onAnswer: OnAnswer): Asking {
  const frame = useRef<HTMLDivElement>(null);
  const body = useRef<HTMLDivElement>(null);
  const guard = useGuard();
  const reading = useLinesBelow(body);
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState<string | null>(null);

  const { restart } = guard;
  const what = shown.map(({ id }) => id).join(' ');
  const [opened, setPanel] = useKeptText(`panel ${what}`, 'none');
  const panel = PANELS.find((one) => one === opened) ?? 'none';
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
    about: what,
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

type Allowed = Extract<ApprovalAnswer, { behavior: 'allow' }>;

/** An answer to everything on screen, before question ids and digests are added. */
type Reply = Exclude<ApprovalAnswer, Allowed> | Omit<Allowed, 'digest'>;

/** An answer to one question. */
export interface Given {
  readonly approvalId: string;
  readonly answer: ApprovalAnswer;
}

/**
 * Turns a reply into answers to the questions that were shown, each bound to its own content: nothing that came later is
 * among them. A rule is saved once.
 */
export function answersTo(shown: readonly Approval[], reply: Reply): readonly Given[] {
  return shown.map(({ id, digest }, index) => {
    if (reply.behavior !== 'allow') return { approvalId: id, answer: reply };
    const { remember, ...plain } = reply;
    const rule = index === 0 && remember ? { remember } : {};
    return { approvalId: id, answer: { ...plain, digest, ...rule } };
  });
}

interface Guard {
  /** Approving works now. */
  readonly armed: boolean;
  /** Milliseconds it is still held back. */
  readonly left: () => number;
  /** A key or a return to the window that was not meant as an answer: wait anew. */
  readonly restart: () => void;
}

/** Holds approving back after the question showed, after stray typing, and after the window got focus again. */
function useGuard(): Guard {
  const shownAt = useRef(performance.now());
  const strayAt = useRef(Number.NEGATIVE_INFINITY);
  const [round, setRound] = useState(0);
  const [armed, setArmed] = useState(false);
  const left = useCallback(
    () => guardLeft(shownAt.current, strayAt.current, performance.now()),
    [],
  );
  const restart = useCallback(() => {
    strayAt.current = performance.now();
    setArmed(false);
    setRound((n) => n + 1);
  }, []);
  useEffect(() => {
    const timer = setTimeout(() => setArmed(true), GUARD_MS);
    return () => clearTimeout(timer);
  }, [round]);
  useEffect(() => {
    window.addEventListener('focus', restart);
    return () => window.removeEventListener('focus', restart);
  }, [restart]);
  return { armed, left, restart };
}

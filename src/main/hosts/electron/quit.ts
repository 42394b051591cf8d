import { app, type BrowserWindow, type MessageBoxOptions } from 'electron';
import { quitQuestion, type WhatRuns } from '../../../shared/what-runs';
import type { Workbench } from '../../app/workbench';
import { asksForNothing } from './early-requests';
import type { LaunchRequest } from './launch-request';
import type { Ask } from './questions';

/** Acts of the windows that quitting needs. */
interface QuitActs {
  ask: Ask;
  /** Brings a window back. */
  reopen(): void;
  /** Shows the list of processes. */
  choose(): void;
  /** Takes the windows away, and remembers them: none is closed one by one when the app exits. */
  leave(): Promise<void>;
  /** Installs the update that the user wanted, which ends the app; false when there is none. */
  install(): boolean;
  /** Starts the app again, for a request, when it has ended. */
  restart(request: LaunchRequest): void;
  /** Called when the user stays. */
  stay(): void;
}

/**
 * Asks before work is lost, then ends everything in good order. When the
 * user stays and the last window is gone already, `reopen` brings one back. `choose` shows the list in which the
 * user says of each task whether it goes on. Returns a function that keeps a request for the next start when the app is past
 * that question, where no window could show it any more; else the function returns false.
 */
export function guardQuit(
  workbench: Workbench,
  currentWindow: () => BrowserWindow | null,
  { ask, reopen, choose, leave, install, restart, stay }: QuitActs,
): (request: LaunchRequest) => boolean {
  let ending = false;
  let ended = false;
  let leaving = false;
  let late: LaunchRequest | null = null;
  const exit = (code: number) => {
    if (late !== null) restart(late);
    app.exit(code);
  };
  const end = async () => {
    const answer = await askToQuit(workbench.running(), ask);
    if (answer === 'stay' || answer === 'choose') {
      ending = false;
      stay();
      if (currentWindow() === null) reopen();
      if (answer === 'choose') choose();
      return;
    }
    leaving = true;
    await leave();
    const lost = await workbench.close({ keepTerminals: answer === 'keep' });
    if (lost.length > 0)
      await ask({
        type: 'error',
        message: 'Not everything was saved.',
        detail: lost.join('\n\n'),
      });
    ended = true;
    if (!install()) exit(0);
  };
  app.on('before-quit', (event) => {
    if (ended) return;
    event.preventDefault();
    if (ending) return;
    ending = true;
    end().catch(() => exit(1));
  });
  return (request) => {
    if (leaving && (late === null || !asksForNothing(request))) late = request;
    return leaving;
  };
}

async function askToQuit(running: WhatRuns, ask: Ask): Promise<QuitAnswer> {
  const question = quitMessage(running);
  return question === null ? 'end' : quitAnswer(await ask(question));
}

/** The user's answer to the question before quitting. */
type QuitAnswer = (typeof ANSWERS)[number];

const ANSWERS = ['end', 'keep', 'choose', 'stay'] as const;

/**
 * Returns the question before quitting, or null when nothing runs but what is pinned. Its buttons are in the order of {@link quitAnswer}.
 */
export function quitMessage(running: WhatRuns): MessageBoxOptions | null {
  const question = quitQuestion(running);
  if (question === null) return null;
  return {
    type: 'question',
    message: question.title,
    detail: question.detail.join('\n\n'),
    buttons: [
      'End everything and quit',
      'Quit and keep terminals',
      'Choose what goes on…',
      'Cancel',
    ],
    defaultId: 3,
    cancelId: 3,
    noLink: true,
  };
}

/** Returns the answer behind a button's index. Closing the dialog means "stay". */
export const quitAnswer = (response: number): QuitAnswer => ANSWERS[response] ?? 'stay';

import { app, type BrowserWindow, dialog, type MessageBoxOptions } from 'electron';
import type { Workbench } from '../../app/workbench';

/**
 * Asks before work is lost, then ends everything in good order. `currentWindow` carries the question; when the
 * person stays and the last window is gone already, `reopen` brings one back. `choose` shows the list in which the
 * person says of each task whether it goes on.
 */
export function guardQuit(
  workbench: Workbench,
  currentWindow: () => BrowserWindow | null,
  { reopen, choose }: { readonly reopen: () => void; readonly choose: () => void },
): void {
  let ending = false;
  const end = async () => {
    const answer = await ask(workbench, currentWindow());
    if (answer === 'stay' || answer === 'choose') {
      ending = false;
      if (currentWindow() === null) reopen();
      if (answer === 'choose') choose();
      return;
    }
    const lost = await workbench.close({ keepTerminals: answer === 'keep' });
    if (lost.length > 0)
      await dialog.showMessageBox({
        type: 'error',
        message: 'Not everything was saved.',
        detail: lost.join('\n\n'),
      });
    app.exit(0);
  };
  app.on('before-quit', (event) => {
    event.preventDefault();
    if (ending) return;
    ending = true;
    end().catch(() => app.exit(1));
  });
}

async function ask(workbench: Workbench, window: BrowserWindow | null): Promise<QuitAnswer> {
  const question = quitQuestion(workbench.running());
  if (question === null) return 'end';
  const { response } = await (window === null
    ? dialog.showMessageBox(question)
    : dialog.showMessageBox(window, question));
  return quitAnswer(response);
}

/** The user's answer to the question before quitting. */
type QuitAnswer = (typeof ANSWERS)[number];

const ANSWERS = ['end', 'keep', 'choose', 'stay'] as const;

type Running = ReturnType<Workbench['running']>;

/** The number of tasks named before "and N more". */
const NAMED_TASKS = 8;

/**
 * Returns the question before quitting, or null when nothing runs but what is pinned. Its buttons are in the order of {@link quitAnswer}.
 */
export function quitQuestion({
  queries,
  tasks,
  shells,
  pinned,
  leftovers,
  unsaved,
}: Running): MessageBoxOptions | null {
  if (queries + tasks.length + shells + leftovers + unsaved.length === 0) return null;
  const named = tasks.slice(0, NAMED_TASKS).map((task) => `• ${task}`);
  if (tasks.length > NAMED_TASKS) named.push(`• and ${tasks.length - NAMED_TASKS} more`);
  const detail = [
    queries > 0
      ? `${counted(queries, 'query', 'queries')} will be stopped.${unsaved.length > 0 ? '' : ' What was said is kept.'}`
      : '',
    unsaved.length > 0
      ? `What cannot be saved is lost: ${unsaved.join(', ')}. Make room on the disk, or let Lathe write there, and wait a few seconds.`
      : '',
    tasks.length > 0 ? `${counted(tasks.length, 'task', 'tasks')}:\n${named.join('\n')}` : '',
    shells > 0 ? `${counted(shells, 'shell', 'shells')} of your own.` : '',
    leftovers > 0
      ? `${counted(leftovers, 'process', 'processes')} that an earlier Lathe left running.`
      : '',
    pinned.length > 0 ? `Goes on in any case: ${pinned.join(', ')}.` : '',
  ];
  return {
    type: 'question',
    message:
      unsaved.length > 0
        ? `Quit Lathe although ${counted(unsaved.length, 'conversation is', 'conversations are')} not saved?`
        : 'Quit Lathe while work is going on?',
    detail: detail.filter((part) => part !== '').join('\n\n'),
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

const counted = (count: number, one: string, many: string): string =>
  `${count} ${count === 1 ? one : many}`;

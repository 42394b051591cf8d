import { app, type BrowserWindow, dialog } from 'electron';
import type { Workbench } from '../../app/workbench';
import { type QuitAnswer, quitAnswer, quitQuestion } from './quit-question';

/**
 * Asks before work is lost, then ends everything in good order. `currentWindow` carries the question; when the
 * person stays and the last window is gone already, `reopen` brings one back.
 */
export function guardQuit(
  workbench: Workbench,
  currentWindow: () => BrowserWindow | null,
  reopen: () => void,
): void {
  let ending = false;
  const end = async () => {
    const answer = await ask(workbench, currentWindow());
    if (answer === 'stay') {
      ending = false;
      if (currentWindow() === null) reopen();
      return;
    }
    await workbench.close({ keepTerminals: answer === 'keep' });
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

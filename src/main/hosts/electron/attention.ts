import { app, Notification } from 'electron';
import type { Attention, Workbench } from '../../app/workbench';
import type { Windows } from './windows';

/** Longer texts are cut by the systems anyway. Characters. */
const MAX_BODY = 200;

/**
 * Tells a person who looks elsewhere: a notification (one for each session, the newest), and a count on the app's icon;
 * Windows has no count, there the taskbar flashes. Gives a function that takes all that away when the person is back.
 */
export function watchAttention(
  workbench: Workbench,
  windows: Pick<Windows, 'focused' | 'current'>,
  goThere: (attention: Attention) => void,
): () => void {
  let waiting = 0;
  // Notifications without a reference are collected, and their clicks with them.
  const shown = new Map<string, Notification>();
  const show = (attention: Attention) => {
    const { sessionId, title, body, kind } = attention;
    const notification = new Notification({
      title,
      body: body.slice(0, MAX_BODY),
      silent: kind === 'finished',
    });
    const forget = () => {
      if (shown.get(sessionId) === notification) shown.delete(sessionId);
    };
    shown.get(sessionId)?.close();
    shown.set(sessionId, notification);
    notification.on('click', () => goThere(attention));
    notification.on('close', forget);
    notification.on('failed', forget);
    notification.show();
  };
  workbench.onAttention((attention) => {
    if (windows.focused()) return;
    waiting += 1;
    app.setBadgeCount(waiting);
    if (process.platform === 'win32') windows.current()?.flashFrame(true);
    if (Notification.isSupported()) show(attention);
  });
  return () => {
    waiting = 0;
    app.setBadgeCount(0);
    const closing = [...shown.values()];
    shown.clear();
    for (const notification of closing) notification.close();
  };
}

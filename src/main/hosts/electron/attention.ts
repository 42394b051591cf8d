import { app, type BrowserWindow, Notification } from 'electron';
import type { Attention, Workbench } from '../../app/workbench';
import type { Windows } from './windows';

/** Longer texts are cut by the systems anyway. Characters. */
const MAX_BODY = 200;

type FlashingWindow = Pick<BrowserWindow, 'isFocused' | 'isDestroyed' | 'flashFrame'>;

/**
 * Tells a user who looks elsewhere: a notification (one for each session, the newest), and a count on the app's icon;
 * Windows has no count, there the session's window flashes in the taskbar. Gives a function that takes all that away when
 * the user is back.
 */
export function watchAttention(
  workbench: Pick<Workbench, 'onAttention'>,
  windows: Pick<Windows, 'focused'> & { windowOf(place: Attention): FlashingWindow | null },
  goThere: (attention: Attention) => void,
  platform: NodeJS.Platform,
): () => void {
  let waiting = 0;
  const flashing = new Set<FlashingWindow>();
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
    // Windows goes on showing in its list what had its time: it can still be clicked there, and must go when the user is back.
    notification.on('close', ({ reason }) => {
      if (reason !== 'timedOut') forget();
    });
    notification.on('failed', () => {
      forget();
      // macOS shows none of an app without a signature.
      app.dock?.bounce('informational');
    });
    notification.show();
  };
  const flash = (window: FlashingWindow | null) => {
    if (window === null || window.isFocused()) return;
    flashing.add(window);
    window.flashFrame(true);
  };
  workbench.onAttention((attention) => {
    if (platform === 'win32') flash(windows.windowOf(attention));
    if (windows.focused()) return;
    waiting += 1;
    app.setBadgeCount(waiting);
    if (Notification.isSupported()) show(attention);
  });
  return () => {
    waiting = 0;
    app.setBadgeCount(0);
    // It stops by itself only in front of the others.
    for (const window of flashing) if (!window.isDestroyed()) window.flashFrame(false);
    flashing.clear();
    const closing = [...shown.values()];
    shown.clear();
    for (const notification of closing) notification.close();
  };
}

import { app, Notification } from 'electron';
import type { Attention, Workbench } from '../../app/workbench';

/** Longer texts are cut by the systems anyway. Characters. */
const MAX_BODY = 200;

/**
 * Tells a person who looks elsewhere: a notification, and a count on the app's icon. Gives a function that
 * takes the count away when the person is back.
 */
export function watchAttention(
  workbench: Workbench,
  isFocused: () => boolean,
  goThere: (attention: Attention) => void,
): () => void {
  let waiting = 0;
  // Notifications without a reference are collected, and their clicks with them.
  const shown = new Set<Notification>();
  workbench.onAttention((attention) => {
    if (isFocused()) return;
    waiting += 1;
    app.setBadgeCount(waiting);
    if (!Notification.isSupported()) return;
    const notification = new Notification({
      title: attention.title,
      body: attention.body.slice(0, MAX_BODY),
      silent: attention.kind === 'finished',
    });
    shown.add(notification);
    notification.on('click', () => goThere(attention));
    notification.on('close', () => shown.delete(notification));
    notification.show();
  });
  return () => {
    waiting = 0;
    app.setBadgeCount(0);
    for (const notification of shown) notification.close();
    shown.clear();
  };
}

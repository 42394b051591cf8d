import type { Lathe, SignalRequest } from './lathe';
import type { ScreenStore } from './screen';
import { addToast } from './toasts';

/** More sessions are not marked at one time; the older marks go. */
const MAX_RANG = 100;

/** Shows a notification of a session of this project, or marks a session that rang while nobody looked. */
export function takeSignal(lathe: Lathe, { project, sessionId, signal }: SignalRequest): void {
  const { store, current } = lathe;
  const { opened, sessionId: shown } = store.getState();
  if (opened?.path !== project) return;
  if (signal.kind === 'bell') {
    if (shown === sessionId && document.hasFocus()) return;
    store.setState(({ rang }) => ({
      rang: [...rang.filter((id) => id !== sessionId), sessionId].slice(-MAX_RANG),
    }));
    return;
  }
  const { title, body } = signal;
  addToast(store, {
    level: 'info',
    text: title === '' ? body : title,
    ...(title === '' ? {} : { fix: body }),
    ...(shown === sessionId
      ? {}
      : { action: { label: 'Show', run: () => current.show(sessionId) } }),
  });
}

/** Takes the mark off the session that is shown, once somebody looks at it. */
export function lookAtSession(store: ScreenStore): void {
  const { sessionId, rang } = store.getState();
  if (sessionId === null || !rang.includes(sessionId) || !document.hasFocus()) return;
  store.setState({ rang: rang.filter((id) => id !== sessionId) });
}

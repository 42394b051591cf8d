import type { ShowRequest } from '../store/app-feed';
import type { Lathe } from '../store/lathe';
import { openProject } from '../store/projects';
import { showSession } from '../store/sessions';
import { reportFault } from '../store/toasts';

/**
 * Opens what this window showed before a reload, else the folder named on the command line, else the one
 * opened last. A folder that is gone leaves the person at the choice of folders, with the reason.
 */
export async function restorePlace(lathe: Lathe): Promise<void> {
  const { info, app } = lathe.store.getState();
  const place = lathe.place.read();
  lathe.store.setState({ restoring: true, untrusted: place.untrusted });
  const path = place.project ?? info?.folder ?? (info?.demoFirst ? undefined : app?.recents[0]);
  if (path !== undefined && path !== null) {
    const opened = await openProject(lathe, path);
    if (!opened.ok) reportFault(lathe.store, opened.error);
    const sessions = lathe.store.getState().app?.sessions ?? [];
    const known = sessions.some((s) => s.id === place.sessionId && s.project === path);
    if (opened.ok && known && place.sessionId !== null) showSession(lathe, place.sessionId);
  }
  lathe.store.setState({ restoring: false });
}

/** Goes where the person asked from outside the window. A draft is filled in and never sent. */
export async function followRequest(lathe: Lathe, request: ShowRequest): Promise<void> {
  const { project, sessionId, draft } = request;
  const { opened } = lathe.store.getState();
  if (project !== undefined && project !== opened?.path) {
    const changed = await openProject(lathe, project);
    if (!changed.ok) return reportFault(lathe.store, changed.error);
  }
  if (sessionId !== undefined) showSession(lathe, sessionId);
  const shown = lathe.store.getState().sessionId;
  if (draft !== undefined && shown !== null) lathe.drafts.set(shown, draft);
}

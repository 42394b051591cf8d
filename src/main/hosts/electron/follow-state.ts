import { app, Menu, nativeTheme } from 'electron';
import type { AppState } from '../../../shared/contract';
import type { Workbench } from '../../app/workbench';
import { type MenuActions, menuTemplate } from './menu';

/** Keeps what the system shows in step with the app: theme, recent folders, menu. Ends with the signal. */
export async function followState(
  workbench: Workbench,
  actions: MenuActions,
  signal: AbortSignal,
): Promise<void> {
  let recents: readonly string[] = [];
  let zoom = 1;
  const showMenu = () =>
    Menu.setApplicationMenu(
      Menu.buildFromTemplate(menuTemplate(process.platform, { recents, zoom }, actions)),
    );
  showMenu();
  for await (const feed of workbench.watchApp(signal)) {
    if (feed.type !== 'state') continue;
    const { preferences, recents: changed }: Partial<AppState> = feed.state;
    if (preferences !== undefined) {
      nativeTheme.themeSource = preferences.theme;
      if (preferences.zoom !== zoom) {
        zoom = preferences.zoom;
        showMenu();
      }
    }
    if (changed === undefined || sameOrder(changed, recents)) continue;
    recents = changed;
    showMenu();
    app.clearRecentDocuments();
    for (const folder of [...recents].reverse()) app.addRecentDocument(folder);
  }
}

const sameOrder = (a: readonly string[], b: readonly string[]): boolean =>
  a.length === b.length && a.every((folder, at) => folder === b[at]);

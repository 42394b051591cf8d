import type { PaneNode } from '../../shared/terminal-panes';
import { ONE_PANE } from '../terminal/panes';
import type { Lathe } from './lathe';
import type { Screen } from './screen';

/** Returns the panes of a project's terminals: as this window arranged them, else as they were left. */
export const panesOf = ({ panes, app }: Screen, project: string): PaneNode =>
  panes[project] ?? app?.preferences.panes?.[project] ?? ONE_PANE;

/** Rearranges the panes of the project on screen. */
export function changePanes(
  { store }: Pick<Lathe, 'store'>,
  change: (panes: PaneNode) => PaneNode,
): void {
  store.setState((screen) => {
    const project = screen.opened?.path;
    if (project === undefined) return {};
    const before = panesOf(screen, project);
    const panes = change(before);
    return panes === before ? {} : { panes: { ...screen.panes, [project]: panes } };
  });
}

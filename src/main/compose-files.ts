import type { KeptFiles } from './engine/damaged-file';
import { holdsSignIns } from './engine/mcp/sign-in-store';
import { holdsApprovals } from './engine/mcp/tool-approvals';
import { holdsImports } from './engine/prompt/outside-imports';
import { holdsKey } from './hosts/common/key-file';
import { holdsWindows } from './hosts/electron/window-state';
import { holdsHost } from './hosts/web/admission';

/** The JSON files in Lathe's home that hold something else are told by this; `state.json` and `trust.json` tell it themselves. */
export const KEPT_FILES: KeptFiles = {
  'imports.json': holdsImports,
  'key.json': holdsKey,
  'sign-ins.json': holdsSignIns,
  'tool-approvals.json': holdsApprovals,
  'web.json': holdsHost,
  'windows.json': holdsWindows,
};

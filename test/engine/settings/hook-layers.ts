import { hooksOf } from '../../../src/main/engine/settings/merge-hooks';
import { readSettings } from '../../../src/main/engine/settings/read';
import { RuleSource } from '../../../src/shared/permission';

type Files = Partial<Record<RuleSource, object>>;

/** The hooks of settings files of trusted places, as merged. */
export function layersOf(...files: readonly Files[]) {
  const all: Files = Object.assign({}, ...files);
  const layers = RuleSource.options.flatMap((source) => {
    const settings = all[source];
    return settings ? [readSettings(JSON.stringify(settings), source, `${source}.json`)] : [];
  });
  return hooksOf(layers, () => true);
}

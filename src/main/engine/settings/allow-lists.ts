import type { RuleSource } from '../../../shared/permission';
import type { SettingsLayer } from './read';

/** A list of what alone is allowed. */
export interface AllowList<Entry> {
  /** The files that it comes from. */
  readonly file: string;
  readonly entries: readonly Entry[];
}

const OF_FOLDER: readonly RuleSource[] = ['localSettings', 'projectSettings'];

/**
 * Returns the lists of one field that count; what is allowed stands in each of them. The machine's list counts alone where it has
 * one, else the user's; a folder's list makes that narrower, never wider. Pure.
 */
export function allowLists<Entry>(
  layers: readonly SettingsLayer[],
  listIn: (fields: SettingsLayer['fields']) => readonly Entry[] | undefined,
): readonly AllowList<Entry>[] {
  const written = layers.flatMap(({ source, file, fields }) => {
    const entries = listIn(fields);
    return entries === undefined ? [] : [{ source, file, entries }];
  });
  const managed = written.filter(({ source }) => source === 'managed');
  const own = written.filter(({ source }) => source !== 'managed' && !OF_FOLDER.includes(source));
  const folders = written.filter(({ source }) => OF_FOLDER.includes(source));
  return [managed.length > 0 ? managed : own, folders]
    .filter((group) => group.length > 0)
    .map((group) => ({
      file: [...new Set(group.map(({ file }) => file))].join(', '),
      entries: group.flatMap(({ entries }) => entries),
    }));
}

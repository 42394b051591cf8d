import type { FileEdit, FileFindings, FileImage, FileText } from '../../shared/project-file';
import type { Result } from '../../shared/result';
import type { Ask } from './ask';
import type { ScreenStore } from './screen';
import { reported } from './toasts';

/** The part of a page that files need. */
interface FilesDeps {
  readonly ask: Ask;
  readonly store: ScreenStore;
}

/** Finds files of the project on screen, and folders too unless they are left out. */
export const findFiles = (
  { ask, store }: FilesDeps,
  query: { readonly text: string; readonly filesOnly?: boolean },
  signal: AbortSignal,
): Promise<Result<FileFindings>> =>
  ask((client) => client.files.find({ project: projectOf(store), ...query }, { signal }));

/** Reads a file of the project on screen, or any other by its absolute path. */
export const readFile = (
  { ask, store }: FilesDeps,
  path: string,
  signal: AbortSignal,
): Promise<Result<FileText>> =>
  ask((client) => client.files.read({ project: projectOf(store), path }, { signal }));

/** Reads an image of the project on screen. */
export const readImageFile = (
  { ask, store }: FilesDeps,
  path: string,
  signal: AbortSignal,
): Promise<Result<FileImage>> =>
  ask((client) => client.files.image({ project: projectOf(store), path }, { signal }));

/** Opens a file in the user's editor; a failure is shown. */
export async function editFile(
  { ask, store }: FilesDeps,
  file: Omit<FileEdit, 'project'>,
): Promise<void> {
  const place = { project: projectOf(store), ...file };
  reported(store, await ask((client) => client.files.edit(place)));
}

/** Shows a file in the viewer. */
export const showFile = ({ store }: FilesDeps, path: string, line: number | undefined): void =>
  store.setState({ dialog: { kind: 'file', path, ...(line === undefined ? {} : { line }) } });

const projectOf = (store: ScreenStore): string => store.getState().opened?.path ?? '';

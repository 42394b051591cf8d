import { basename } from 'node:path';
import { imageType } from '../../shared/image-type';
import type {
  FileEdit,
  FileFindings,
  FileImage,
  FilePick,
  FileQuery,
  FileText,
} from '../../shared/project-file';
import { err, type Fault, fault, ok, type Result } from '../../shared/result';
import { fileRequest } from '../engine/permissions/build-request';
import { decide } from '../engine/permissions/decide';
import { absolutePath, relativeInside } from '../engine/permissions/paths';
import type { FileFault, Files, Place } from '../engine/ports';
import { decodeText } from '../engine/tools/builtin/support/text-format';
import type { FileFinder } from './file-finder';
import type { ProjectRegistry } from './project-registry';

/** Finds and shows files of projects to the user, and takes them to their editor. */
export interface FileService {
  /** Finds files and folders of an open project by parts of their paths. */
  find(query: FileQuery, signal: AbortSignal): Promise<Result<FileFindings>>;
  /** Reads a text file; of a long one the beginning. */
  read(pick: FilePick, signal: AbortSignal): Promise<Result<FileText>>;
  /** Reads an image in the project. One that a rule keeps from being read unasked is not given. */
  image(pick: FilePick): Promise<Result<FileImage>>;
  /** Opens a file in the user's editor, at a place when one is given. */
  edit(edit: FileEdit, signal: AbortSignal): Promise<Result<null>>;
}

/** Starts the user's editor with a file. The path is absolute. */
export type OpenEditor = (
  path: string,
  at: Pick<FileEdit, 'line' | 'column'>,
) => Promise<Result<null>>;

export interface FileServiceOptions {
  readonly files: Files;
  readonly home: string;
  readonly projects: Pick<ProjectRegistry, 'list' | 'settings'>;
  /** The system takes paths in any letter case. */
  readonly caseInsensitive: boolean;
  readonly finder: FileFinder;
  readonly openEditor: OpenEditor;
}

/** The most of a file that is shown. Bytes. */
const MAX_SHOWN_BYTES = 2 * 1024 * 1024;

/** The largest image that is shown. Bytes. */
const MAX_IMAGE_BYTES = 8 * 1024 * 1024;

const NO_IMAGE = fault('no_image', 'It is not an image that can be shown.');
const NOT_SHOWN = fault('not_shown', 'It is not shown unasked.');
const NO_PROJECT = fault('not_open', 'That folder is not open.', 'Open it first.');

/** Creates the service over the open projects. */
export function createFileService(options: FileServiceOptions): FileService {
  const { files, home, projects, finder, caseInsensitive } = options;
  const isOpen = (project: string) => projects.list().some(({ path }) => path === project);

  /** Finds the file that is meant: what is at the path, else the one file of the project whose path ends with it. */
  const locate = async (
    { project, path }: FilePick,
    signal: AbortSignal,
  ): Promise<Result<{ readonly path: string; readonly place: Place }>> => {
    if (!isOpen(project)) return err(NO_PROJECT);
    const asked = absolutePath(path, project, home);
    const place = await files.locate(asked);
    if (!place.ok) return err(faultOf(place.error));
    if (place.value.identity !== null) return ok({ path: asked, place: place.value });
    const missing = err(fault('not_found', `There is no ${path}.`));
    if (/^(\/|~|[A-Za-z]:)/.test(path)) return missing;
    const found = await finder.find({ project, text: path, filesOnly: true }, signal);
    if (!found.ok) return missing;
    const tail = path.replace(/^(\.\/)+/, '');
    const named = found.value.found.filter((one) => one.path.endsWith(`/${tail}`));
    const [only] = named;
    if (only === undefined || named.length > 1) return missing;
    const full = absolutePath(only.path, project, home);
    const there = await files.locate(full);
    return there.ok ? ok({ path: full, place: there.value }) : err(faultOf(there.error));
  };

  return {
    find: async (query, signal) =>
      isOpen(query.project) ? finder.find(query, signal) : err(NO_PROJECT),
    read: async (pick, signal) => {
      const located = await locate(pick, signal);
      if (!located.ok) return located;
      const { path, place } = located.value;
      const opened = await files.open(place);
      if (!opened.ok) return err(faultOf(opened.error));
      const file = opened.value;
      try {
        const { size } = file.stat;
        const bytes = await file.read(0, MAX_SHOWN_BYTES);
        if (!bytes.ok) return err(faultOf(bytes.error));
        const cut = size > bytes.value.length;
        const decoded = decodeText(cut ? wholeLines(bytes.value) : bytes.value);
        if (decoded === null) {
          return err(
            fault('binary', `${basename(path)} is a binary file; there is no text to show.`),
          );
        }
        const name = relativeInside(pick.project, path, false) || path;
        return ok({ path, name, text: decoded.text, size, cut });
      } finally {
        await file.close();
      }
    },
    image: async ({ project, path }) => {
      const settings = projects.settings(project);
      if (settings === null) return err(NO_PROJECT);
      const where = { cwd: project, home };
      const request = await fileRequest('Read', 'read', path, where, files);
      const context = { ...where, project, workingDirectories: [project], caseInsensitive };
      const { behavior } = decide(request, settings.rules, 'default', context);
      const full = absolutePath(path, project, home);
      const unread = ({ code, message }: FileFault) =>
        err(fault(code, message.replaceAll(full, path)));
      const place = await files.locate(full);
      if (!place.ok) return unread(place.error);
      const inside = relativeInside(project, place.value.realPath, caseInsensitive) !== null;
      if (behavior !== 'allow' || !inside) return err(NOT_SHOWN);
      const opened = await files.open(place.value);
      if (!opened.ok) return unread(opened.error);
      const file = opened.value;
      try {
        if (file.stat.size > MAX_IMAGE_BYTES) return err(NO_IMAGE);
        const bytes = await file.read(0, MAX_IMAGE_BYTES);
        if (!bytes.ok) return unread(bytes.error);
        const mediaType = imageType(bytes.value);
        if (mediaType === null) return err(NO_IMAGE);
        return ok({ mediaType, data: Buffer.from(bytes.value).toString('base64') });
      } finally {
        await file.close();
      }
    },
    edit: async ({ folder, ...pick }, signal) => {
      const below = folder === undefined ? null : absolutePath(pick.path, folder, home);
      const near = below === null ? null : await locate({ ...pick, path: below }, signal);
      const located = near?.ok ? near : await locate(pick, signal);
      return located.ok ? options.openEditor(located.value.path, pick) : located;
    },
  };
}

/** Cuts a beginning behind its last whole line, so that no character is torn. */
function wholeLines(bytes: Uint8Array): Uint8Array {
  const end = bytes.lastIndexOf(0x0a);
  return end < 0 ? bytes : bytes.subarray(0, end + 1);
}

const faultOf = ({ code, message }: FileFault): Fault => fault(code, message);

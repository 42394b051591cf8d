import type { FormattingOptions, Node } from 'jsonc-parser';
import { err, fault, ok, type Result } from '../../../shared/result';
import { type JsonTree, readJson } from './json-tree';

/** A settings file's text, taken apart so that it can be changed. */
export interface SettingsText {
  readonly bom: string;
  /** The text without its byte order mark; an empty object when it was empty. */
  readonly body: string;
  readonly root: Node;
  readonly tree: JsonTree;
}

/** Reads a settings file's text, or says why it cannot be changed. Pure. */
export function readRoot(text: string, file: string): Result<SettingsText> {
  const bom = text.startsWith('\uFEFF') ? '\uFEFF' : '';
  const body = text.slice(bom.length).trim() === '' ? '{}\n' : text.slice(bom.length);
  const tree = readJson(body);
  if (tree.fault !== null)
    return refuse(file, `line ${tree.fault.line}: ${tree.fault.message}`, tree.fault.line);
  const { root } = tree;
  if (root?.type !== 'object') return refuse(file, 'an object is expected', 1);
  return ok({ bom, body, root, tree });
}

/** Why a file is left as it is. */
export const refuse = (file: string, what: string, line: number): Result<never> =>
  err(
    fault(
      'malformed_settings',
      `Nothing was saved, because ${file} cannot be understood (${what}). The file was not touched.`,
      `Correct line ${line} of ${file} and choose again.`,
    ),
  );

/** The indentation and line ends that the file has already. */
export function layoutOf(text: string): FormattingOptions {
  const indent = /^([ \t]+)\S/m.exec(text)?.[1] ?? '  ';
  return {
    insertSpaces: !indent.startsWith('\t'),
    tabSize: indent.startsWith('\t') ? 1 : indent.length,
    eol: text.includes('\r\n') ? '\r\n' : '\n',
  };
}

import {
  app,
  type BrowserWindow,
  type ContextMenuParams,
  Menu,
  type MenuItemConstructorOptions,
  type Session,
} from 'electron';

/** Spellings that are offered for one word. */
const MAX_SPELLINGS = 5;

/** Actions on the page that no role of the system has. */
interface PageActions {
  /** Puts another spelling in place of the marked word. */
  respell(word: string): void;
  /** Takes a word into the user's dictionary. */
  learn(word: string): void;
  /** Shows an element in the developer tools; null in a packaged app. */
  readonly inspect: ((x: number, y: number) => void) | null;
}

type Place = Pick<
  ContextMenuParams,
  'isEditable' | 'editFlags' | 'misspelledWord' | 'dictionarySuggestions' | 'selectionText'
> & { readonly x: number; readonly y: number };

/**
 * Returns the menu of a right click where the page has none of its own: spelling and editing in fields, copying of
 * selected text. Empty when there is nothing to do there.
 */
function pageMenu(place: Place, actions: PageActions): MenuItemConstructorOptions[] {
  const { isEditable, editFlags, misspelledWord: wrong } = place;
  const { inspect } = actions;
  const spelling: MenuItemConstructorOptions[] =
    wrong === ''
      ? []
      : [
          ...place.dictionarySuggestions.slice(0, MAX_SPELLINGS).map((word) => ({
            label: word.replaceAll('&', '&&'),
            click: () => actions.respell(word),
          })),
          { label: 'Add to Dictionary', click: () => actions.learn(wrong) },
        ];
  const copy: MenuItemConstructorOptions = { role: 'copy', enabled: editFlags.canCopy };
  const editing: MenuItemConstructorOptions[] = isEditable
    ? [
        { role: 'cut', enabled: editFlags.canCut },
        copy,
        { role: 'paste', enabled: editFlags.canPaste },
        { role: 'selectAll', enabled: editFlags.canSelectAll },
      ]
    : place.selectionText.trim() === ''
      ? []
      : [copy];
  const developing: MenuItemConstructorOptions[] =
    inspect === null ? [] : [{ label: 'Inspect', click: () => inspect(place.x, place.y) }];
  return [spelling, editing, developing]
    .filter((items) => items.length > 0)
    .flatMap((items, at) => (at === 0 ? items : [{ type: 'separator' }, ...items]));
}

/** Opens that menu in a window. Electron asks only where the page did not take the click itself. */
export function offerPageMenu(window: BrowserWindow): void {
  const page = window.webContents;
  page.on('context-menu', (_event, params) => {
    const items = pageMenu(params, {
      respell: (word) => page.replaceMisspelling(word),
      learn: (word) => page.session.addWordToSpellCheckerDictionary(word),
      inspect: app.isPackaged ? null : (x, y) => page.inspectElement(x, y),
    });
    if (items.length > 0) Menu.buildFromTemplate(items).popup({ window });
  });
}

/**
 * Turns the check of spelling on or off. Off macOS it needs a dictionary, which Chromium fetches from its own server as soon
 * as a language is set: without one nothing is fetched.
 */
export function setSpelling(session: Session, wanted: boolean): void {
  if (process.platform === 'darwin') {
    session.setSpellCheckerEnabled(wanted);
    return;
  }
  const known = new Set(session.availableSpellCheckerLanguages);
  const spoken = app
    .getPreferredSystemLanguages()
    .flatMap((tag) => [tag, tag.split('-')[0] ?? tag])
    .filter((tag) => known.has(tag));
  const languages = spoken.length > 0 ? [...new Set(spoken)] : ['en-US'];
  session.setSpellCheckerLanguages(wanted ? languages : []);
}

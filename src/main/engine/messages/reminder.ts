/** Wraps facts of Lathe for the model. A closing tag inside the text is defused, so that a file cannot end the wrapper. */
export const wrapReminder = (text: string): string =>
  `<system-reminder>\n${text.replaceAll(/<(\/?)system-reminder>/gi, '<$1system_reminder>').trim()}\n</system-reminder>`;

/** The kind of attachments that hold notes of earlier work. */
export const NOTES_KIND = 'relevant_notes';

/** Returns the paths of the notes that an attachment holds, absolute; none for one that holds something else. */
export const recalledNotes = ({
  kind,
  about = '',
}: {
  readonly kind: string;
  readonly about?: string | undefined;
}): readonly string[] =>
  kind === NOTES_KIND && about !== '' ? about.split(' ').map(decodeURIComponent) : [];

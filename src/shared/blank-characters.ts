/**
 * The inside of a class of a regular expression: characters that fonts draw as nothing although Unicode counts them as letters,
 * marks and symbols. It has no property for them: Braille, Egyptian and Khitan blanks, a notehead, an object of no text.
 */
export const BLANK_CHARACTERS = '\\u2800\\uFFFC\\u{13440}-\\u{13442}\\u{16FE4}\\u{1D159}\\p{NChar}';

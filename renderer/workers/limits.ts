/** Longer text is shown without highlighting: a grammar costs about 60 ms for 1,000 lines. */
export const MAX_GRAMMAR_CHARS = 512 * 1024
/** JSON is simple enough to be highlighted as long as the window shows it. */
const MAX_JSON_CHARS = 8 * 1024 * 1024

/** Whether a text is too long to be highlighted. */
export const isTooLong = (length: number, language: string): boolean =>
  length > (language === 'json' ? MAX_JSON_CHARS : MAX_GRAMMAR_CHARS)

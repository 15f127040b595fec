const BLOCK = /^(`{3,}|~{3,})suggestion(?::-\d+\+\d+)?[ \t]*\n[\s\S]*?^\1[ \t]*$\n?/gm

/** The text of a note without its suggestion blocks, which are shown as diffs. */
export const withoutSuggestions = (text: string): string => text.replace(BLOCK, '').trim()

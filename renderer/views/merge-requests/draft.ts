const DRAFT = /^\s*(\[draft\]|\(draft\)|draft:)\s*/i

/** A title without the word that makes it a draft (spec core 5.1). */
export const asReady = (title: string): string => title.replace(DRAFT, '')

/** A title with it. */
export const asDraft = (title: string): string => (DRAFT.test(title) ? title : `Draft: ${title}`)

/** Whether a title makes a draft. */
export const isDraft = (title: string): boolean => DRAFT.test(title)

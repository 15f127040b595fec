/** What makes a title that of a draft, at its very start and in any case (spec core 5.1). */
const MARK = /^\s*(?:\[draft\]|\(draft\)|draft:)\s*/i

/** True for the title of a draft. */
export function isDraft(title: string): boolean {
  return /^(?:\[draft\]|\(draft\)|draft:)/i.test(title)
}

/** The title without what makes it a draft, however often it stands there. */
export function readyTitle(title: string): string {
  let rest = title
  while (MARK.test(rest)) rest = rest.replace(MARK, '')
  return rest
}

/** The title of the same thing as a draft. */
export function draftTitle(title: string): string {
  return isDraft(title) ? title : `Draft: ${title}`
}

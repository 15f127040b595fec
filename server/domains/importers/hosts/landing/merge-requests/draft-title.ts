/** The title of the same thing as a draft (spec core 5.1). */
export function draftTitle(title: string): string {
  return /^(?:\[draft\]|\(draft\)|draft:)/i.test(title) ? title : `Draft: ${title}`
}

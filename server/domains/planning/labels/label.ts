import type { Selectable } from 'kysely'

import type { LabelsTable } from '../../../db/schema.gen.ts'

/** A label as stored, of one project or of one group. */
export type LabelRow = Selectable<LabelsTable>

/** Color of a label that came to be by being used. */
export const DEFAULT_COLOR = '#6699cc'

/** Longest title, in characters. */
export const MAX_TITLE = 255

/** What is wrong with a title, in the contract's words; undefined when it can stand (spec core 6.1). */
export function titleProblem(title: string): string | undefined {
  if (title === '') return "can't be blank"
  if (title.length > MAX_TITLE) return `is too long (maximum is ${MAX_TITLE} characters)`
  return /[,?]/.test(title) ? 'is invalid' : undefined
}

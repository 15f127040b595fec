import type { Selectable } from 'kysely'

import type { LabelsTable } from '../../../db/schema.gen.ts'

export type LabelRow = Selectable<LabelsTable>

/** The color of labels that are created by using them. */
export const DEFAULT_COLOR = '#6699cc'

/** Longest title, characters. */
export const MAX_TITLE = 255

/** Returns the contract's sentence about an invalid title. Undefined for a valid one (spec core 6.1). */
export function titleProblem(title: string): string | undefined {
  if (title === '') return "can't be blank"
  if (title.length > MAX_TITLE) return `is too long (maximum is ${MAX_TITLE} characters)`
  return /[,?]/.test(title) ? 'is invalid' : undefined
}

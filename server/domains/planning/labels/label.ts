import type { Selectable } from 'kysely'

import type { LabelsTable } from '../../../db/schema.gen.ts'
import { CSS_COLORS } from './css-colors.ts'

const DARK = '#333333'
const LIGHT = '#FFFFFF'
/** A background is light if the sum of red, green and blue is at least this. */
const LIGHT_FROM = 500

/**
 * Returns a color as it is stored, `#rrggbb`: full codes stay unchanged, short ones are expanded, CSS names are
 * looked up. Undefined for an invalid color.
 */
export function colorCode(input: string): string | undefined {
  const color = input.trim()
  if (/^#[0-9a-f]{6}$/i.test(color)) return color
  if (/^#[0-9a-f]{3}$/i.test(color)) return color.replaceAll(/[0-9a-f]/gi, '$&$&')
  const name = color.toLowerCase()
  return Object.hasOwn(CSS_COLORS, name) ? CSS_COLORS[name] : undefined
}

/** Returns the text color for a background `#rrggbb`. */
export function textColorOn(color: string): string {
  const parts = [1, 3, 5].map((start) => Number.parseInt(color.slice(start, start + 2), 16))
  return parts.reduce((sum, part) => sum + part, 0) > LIGHT_FROM ? DARK : LIGHT
}

export type LabelRow = Selectable<LabelsTable>

/** The color of labels that are created by using them. */
export const DEFAULT_COLOR = '#6699cc'

/** The maximum length of a title, characters. */
export const MAX_TITLE = 255

/** Returns the contract's sentence about an invalid title. Undefined for a valid one (spec core 6.1). */
export function titleProblem(title: string): string | undefined {
  if (title === '') return "can't be blank"
  if (title.length > MAX_TITLE) return `is too long (maximum is ${MAX_TITLE} characters)`
  return /[,?]/.test(title) ? 'is invalid' : undefined
}

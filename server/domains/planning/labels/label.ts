import type { Selectable } from 'kysely'

import type { LabelsTable } from '../../../db/schema.gen.ts'
import { CSS_COLORS } from './css-colors.ts'
import { renderDescription } from '../../projects/index.ts'

const DARK = '#333333'
const LIGHT = '#FFFFFF'
/** A background is light if the sum of red, green and blue is higher. */
const LIGHT_ABOVE = 500

/**
 * Returns the stored form `#rrggbb` of a color: a full code, a short code (`#rgb`) or the name of a CSS color. Undefined
 * for an invalid color.
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
  const channels = [1, 3, 5].map((start) => Number.parseInt(color.slice(start, start + 2), 16))
  return channels.reduce((sum, channel) => sum + channel, 0) > LIGHT_ABOVE ? DARK : LIGHT
}

export type LabelRow = Selectable<LabelsTable>

/** The color of labels that are created by their use on an issue or merge request. */
export const DEFAULT_COLOR = '#6699cc'

/** The maximum length of a title, characters. */
export const MAX_TITLE = 255

/** Returns the problem of a title, in the contract's words. Undefined for a valid title (spec core 6.1). */
export function titleProblem(title: string): string | undefined {
  if (title === '') return "can't be blank"
  if (title.length > MAX_TITLE) return `is too long (maximum is ${MAX_TITLE} characters)`
  return /[,?]/.test(title) ? 'is invalid' : undefined
}

/** Renders the description of a label as HTML: one line without a paragraph around it. Null without a description. */
export async function renderLine(text: string | null): Promise<string | null> {
  const html = await renderDescription(text)
  const inner = html === null ? undefined : /^<p[^>]*>([^]*)<\/p>$/.exec(html)?.[1]
  return inner === undefined || inner.includes('<p') ? html : inner
}

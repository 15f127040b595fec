import { z } from 'zod'

import { entity } from '../../../http/entity.ts'
import type { Position } from './position.ts'
import type { SuggestionView } from './suggestions-store.ts'

/** A suggestion at the place of its note. */
export interface PlacedSuggestion extends SuggestionView {
  readonly place: Position
}

/**
 * Whether a suggestion can be applied, as far as it is known without looking into the repository: it was not yet, it
 * changes something, its merge request is open, and its lines are those of the newest version.
 */
export function isAppliable(one: PlacedSuggestion): boolean {
  return (
    !one.applied &&
    one.from_content !== one.to_content &&
    one.request_state === 'opened' &&
    one.place.new_line != null &&
    one.place.head_sha === one.request_head
  )
}

/** A change of lines that a note offers (spec core 5.5). */
export const Suggestion = entity(
  'Suggestion',
  {
    id: z.int(),
    from_line: z.int(),
    to_line: z.int(),
    appliable: z.boolean(),
    applied: z.boolean(),
    from_content: z.string(),
    to_content: z.string(),
  },
  (one: PlacedSuggestion) => ({
    id: one.id,
    from_line: (one.place.new_line ?? 0) - one.lines_above,
    to_line: (one.place.new_line ?? 0) + one.lines_below,
    appliable: isAppliable(one),
    applied: one.applied,
    from_content: one.from_content,
    to_content: one.to_content,
  }),
)
